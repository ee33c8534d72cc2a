/// Counts gzip members apart from the reader that joins them: Chrome reads the first alone.
#pragma once

#include <optional>
#include <string_view>

namespace normbench {

/// How many gzip members `data` holds; nothing for data that is damaged or cut off.
std::optional<int> count_gzip_members(std::string_view data);

}  // namespace normbench
