/// What a limit is a limit of.
#pragma once

#include <string>

#include "document/results.h"

namespace normbench {

/// "link", "launch" (of work on a GPU), "page faults" or "memory".
std::string limit_kind(const CaseResult& limit);

/// The same of the group's limit of that name; "" when there is none.
std::string limit_kind(const GroupResult& group, const std::string& name);

}  // namespace normbench
