/// Counts gzip members. normbench's reader joins several members, but Chrome reads only the first
/// one.
#pragma once

#include <optional>
#include <string_view>

namespace normbench {

/// Returns the number of gzip members in `data`; nothing if it is damaged or incomplete.
std::optional<int> count_gzip_members(std::string_view data);

}  // namespace normbench
