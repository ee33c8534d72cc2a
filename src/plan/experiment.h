/// An experiment of a config: its groups, one per point of the sweep.
#pragma once

#include <string>
#include <vector>

#include "plan/case.h"
#include "plan/decide.h"

namespace normbench {

/// Asks `reader` for all members of an experiment, to build the schema. Variants, sources, loads
/// and setups get their schemas elsewhere.
void describe_experiment(Reader& reader);

/// Plans the groups of `experiment`, which is written at `pointer`. Mistakes go to
/// `context.issues`. If there are any, the groups may be incomplete.
std::vector<Group> plan_experiment(const Json& experiment, const std::string& pointer,
                                   PlanContext& context);

}  // namespace normbench
