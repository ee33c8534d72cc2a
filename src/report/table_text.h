/// What the profiler's tables share: lengths as Python counts them, times as torch writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// Code points of UTF-8 text, which is what Python's len() says of it.
std::size_t characters(std::string_view text);
/// The first `count` of them.
std::string first_characters(std::string_view text, std::size_t count);

/// The name as torch shows it in a column of at most `most` characters; 0: whole.
std::string shown_name(const std::string& name, std::size_t most);

/// "391.170us", "3.912ms", "1.200s".
std::string time_text(std::int64_t ns);
/// The same of microseconds, for means.
std::string time_text_us(double us);

/// Lines of cells, two blanks between columns and none at the end; right-aligned but for the
/// columns in `left`.
std::string aligned(std::span<const std::vector<std::string>> cells,
                    const std::set<std::size_t>& left);

}  // namespace normbench
