/// What `--only` selects.
#pragma once

#include <string>
#include <vector>

#include "core/issue.h"
#include "plan/case.h"

namespace normbench {

/// Keeps the cases that match one of the globs of `--only` and, if any does, the baseline; without
/// globs all cases.
void keep_chosen(Group& group, const std::vector<std::string>& globs);

/// Keeps what the globs select of all groups. A glob without a match is an issue.
void keep_only(std::vector<Group>& groups, const std::vector<std::string>& globs,
               std::vector<Issue>& issues);

}  // namespace normbench
