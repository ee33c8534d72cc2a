/// `--only`: the part of a plan that globs select.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace normbench {

/// Keeps the experiments and variants that a glob matches (their names, or "experiment/variant"),
/// with the baseline of every experiment that keeps something. A glob without a match is an issue.
void keep_only(std::vector<Group>& groups, const std::vector<std::string>& globs,
               std::vector<Issue>& issues);

}  // namespace normbench
