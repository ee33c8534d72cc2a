/// An experiment of a config: its groups, one per point of the sweep.
#pragma once

#include <string>
#include <vector>

#include "plan/case.h"
#include "plan/decide.h"

namespace normbench {

/// Asks `reader` for all members of an experiment, to make the schema. The variants and what they
/// start with are only named, not described.
void describe_experiment(Reader& reader);

/// Plans the groups of `experiment`, which is written at `pointer`. Mistakes go to
/// `context.issues`. A group with mistakes is incomplete.
std::vector<Group> plan_experiment(const Json& experiment, const std::string& pointer,
                                   PlanContext& context);

}  // namespace normbench
