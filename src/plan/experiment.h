/// An experiment of a config: its groups, one per point of the sweep.
#pragma once

#include <string>
#include <vector>

#include "plan/case.h"
#include "plan/decide.h"

namespace normbench {

/// Calls the getters of `reader` for all members of an experiment. `reader` builds the JSON Schema
/// of an experiment from these calls. Variants, sources, loads and setups get their schemas
/// elsewhere.
void describe_experiment(Reader& reader);

/// Plans the groups of `experiment`. `pointer` is the JSON pointer to it in the config. Mistakes go
/// to `context.issues`. If there are any mistakes, the groups may be incomplete.
std::vector<Group> plan_experiment(const Json& experiment, const std::string& pointer,
                                   PlanContext& context);

}  // namespace normbench
