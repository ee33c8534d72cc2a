/// Selects the cases that `--only` names.
#pragma once

#include <string>
#include <vector>

#include "core/issue.h"
#include "plan/case.h"

namespace normbench {

/// Keeps the cases that match one of the globs of `--only`, and the baseline if any case matches.
/// Keeps all cases if there are no globs.
void keep_chosen(Group& group, const std::vector<std::string>& globs);

/// Calls keep_chosen() for every group, and removes groups without a case. Reports each glob
/// without a match.
void keep_only(std::vector<Group>& groups, const std::vector<std::string>& globs,
               std::vector<Issue>& issues);

}  // namespace normbench
