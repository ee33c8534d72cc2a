/// Where two configs differ.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"

namespace normbench {

/// Pointers of the values that are not the same in both, or only in one. The order of keys is no
/// difference, nor is any "about": people write there.
std::vector<std::string> config_differences(const Json& a, const Json& b);

/// A value as a message quotes it: text as it is, long values cut, null as "absent".
std::string value_text(const Json& value);

}  // namespace normbench
