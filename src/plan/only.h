#pragma once

#include <string>
#include <vector>

#include "core/issue.h"
#include "plan/case.h"

namespace normbench {

/// Keeps the cases of the group that match at least one of `globs`, the globs of `--only`. If a
/// case matches, also keeps the baseline. Removes published figures and claims of removed cases.
/// Without globs keeps everything.
void keep_chosen(Group& group, const std::vector<std::string>& globs);

/// Calls keep_chosen() for every group, and removes groups that have no case left. Reports each
/// glob that matches nothing.
void keep_only(std::vector<Group>& groups, const std::vector<std::string>& globs,
               std::vector<Issue>& issues);

}  // namespace normbench
