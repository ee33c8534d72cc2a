/// An experiment of a config: its groups, one per point of the sweep.
#pragma once

#include <string>
#include <vector>

#include "plan/decide.h"

namespace normbench {

/// The groups of `experiment`, written at `pointer`. Mistakes go to `context.issues`; a group with
/// mistakes is incomplete.
std::vector<Group> plan_experiment(const Json& experiment, const std::string& pointer,
                                   PlanContext& context);

/// The case called `name`, as written (the first of its variations) or displayed; null for none.
const Case* find_case(const Group& group, const std::string& name);

}  // namespace normbench
