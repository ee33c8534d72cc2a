/// Formats numbers and names for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace normbench {

/// Formats a number of bytes in decimal units with three significant digits: "27.6 MB".
std::string format_bytes(double bytes);
/// Formats bytes in binary units, for caches and pages: "48 KiB", "2 MiB".
std::string format_binary_bytes(std::int64_t bytes);
/// Formats a count: "1,234,567".
std::string format_count(std::int64_t value);
/// Formats a count and its noun: "1 row", "2 rows".
std::string counted(std::int64_t count, std::string_view noun);
/// Formats nanoseconds as milliseconds, without the unit. Below 100 ms with three significant
/// digits, else with one decimal: "0.00660", "0.310", "10.8", "135.6".
std::string format_ms(double ns);
/// Formats `value` with `digits` significant digits and no exponent: 8.99, 34.0, 0.72.
std::string format_significant(double value, int digits);
/// Formats a rate per second with two significant digits: "1,800", "74", "0.34". More digits are
/// not needed: next to the rate, reports show the time from which it is computed, with more digits.
std::string format_rate(double per_second);
/// Formats a fraction as a percentage: "0.9 %", "12 %".
std::string format_percent(double fraction);

/// Returns `text` with each control character as a readable escape ("\n", "\u001b"). The result is
/// one line and harmless to a terminal. It is used for names that come from documents, traces,
/// peers and folders.
std::string on_one_line(std::string_view text);
/// Returns the first `most` bytes of `text`, or fewer so that no character is split. If something
/// is cut off, appends "…", whose bytes are not counted.
std::string cut_utf8(std::string_view text, std::size_t most);
/// Returns the index of the first character that starts at or after `byte`; text.size() if there is
/// none.
std::size_t next_character(std::string_view text, std::size_t byte);
/// Returns `text` for a Markdown document or a cell of its tables: on one line and without markup.
std::string escaped_markdown(std::string_view text);

}  // namespace normbench
