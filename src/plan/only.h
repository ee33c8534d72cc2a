#pragma once

#include <string>
#include <vector>

#include "core/issue.h"
#include "plan/case.h"

namespace normbench {

/// Keeps the cases that match at least one glob of `--only`, and if there are any, the baseline.
/// Without globs keeps all cases.
void keep_chosen(Group& group, const std::vector<std::string>& globs);

/// Calls keep_chosen() for every group, and removes groups without a case. Reports each glob
/// without a match.
void keep_only(std::vector<Group>& groups, const std::vector<std::string>& globs,
               std::vector<Issue>& issues);

}  // namespace normbench
