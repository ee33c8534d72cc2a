/// Reads the case that a peer is asked for from the message, and plans it like that of any config.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/issue.h"
#include "core/json.h"
#include "core/tensor.h"
#include "plan/plan.h"

namespace normbench {

/// A stage as the message says it; what a config would say of it is left to the planner.
struct PeerStage {
  Json op, parameters = Json::object(), place, kernel, output;  // null: not said
  std::vector<TensorDesc> in, out;                              // empty: not said

  /// "normalize"; as JSON if it is not text.
  std::string name() const;
};

struct PeerPrepare {
  Json threads = 1;         // as a config says them
  int device = 0;           // of the CUDA devices that this process sees
  std::int64_t copies = 1;  // of the input; 1: it stays in the cache
  bool unlike = false;      // they are to differ
  std::string path;         // of the input
  TensorDesc input;         // in the memory that the first stage reads
  std::vector<PeerStage> stages;
};

/// Reads a message; members that are not known are ignored. Throws Invalid with all mistakes
/// ("/copies: must be at least 1, got 0; …"), Unsupported for other than one input.
PeerPrepare read_prepare(const Json& message);

/// What a peer was asked and cannot do: its variant is skipped, not failed.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Invalid with all issues, if there are any.
void throw_if_any(const std::vector<Issue>& issues);

/// The size of a last cache for which cold sources have exactly so many copies: what is measured
/// with it rotates over as many.
std::int64_t cache_bytes_of(const PeerPrepare& said);

/// A plan of one group with one case, which can run. `options` say what there is here. Throws
/// Invalid with every mistake that the planner finds, each at its place in the message, and
/// Unsupported where that case cannot run here or would be another than the message says.
Plan plan_peer_case(const PeerPrepare& said, const Backends& backends, PlanOptions options);

}  // namespace normbench
