/// The case that a peer is asked for, planned as that of any config.
#pragma once

#include "measure/peer/prepare.h"
#include "plan/plan.h"

namespace normbench {

/// The last cache that so many copies of the input exceed as cold sources do: what is measured
/// with it rotates over as many.
std::int64_t cache_bytes_of(const PeerPrepare& said);

/// A plan of one group with one case, which can run. `options` say what there is here. Throws
/// Invalid with every mistake that the planner finds, each at its place in the message, and
/// Unsupported where that case cannot run here or would be another than the message says.
Plan plan_peer_case(const PeerPrepare& said, const Backends& backends, PlanOptions options);

}  // namespace normbench
