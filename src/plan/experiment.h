/// An experiment of a config: its groups, one per point of the sweep.
#pragma once

#include <string>
#include <vector>

#include "plan/case.h"
#include "plan/decide.h"

namespace normbench {

/// Asks a reader that describes for all members of an experiment. Of its variants and what they
/// start with it says only that they may be there.
void describe_experiment(Reader& reader);

/// The groups of `experiment`, written at `pointer`. Mistakes go to `context.issues`; a group with
/// mistakes is incomplete.
std::vector<Group> plan_experiment(const Json& experiment, const std::string& pointer,
                                   PlanContext& context);

}  // namespace normbench
