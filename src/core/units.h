/// Numbers and names as people read them; formatted at the last moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace normbench {

/// "27.6 MB": decimal units, three significant digits.
std::string format_bytes(double bytes);
/// "48 KiB", "2 MiB": sizes of caches and pages, which are powers of two.
std::string format_binary_bytes(std::int64_t bytes);
/// "1,234,567".
std::string format_count(std::int64_t value);
/// "1 row", "2 rows".
std::string counted(std::int64_t count, std::string_view noun);
/// Milliseconds with at least three significant digits: "135.6", "10.8", "0.310", "0.00660".
std::string format_ms(double ns);
/// `value` with `digits` significant digits, no exponent: 8.99, 34.0, 0.72.
std::string format_significant(double value, int digits);
/// "0.9 %", "12 %".
std::string format_percent(double fraction);

/// `text` with its control characters readable ("\n", "\u001b"): names come from documents, traces,
/// peers and folders. The result is on one line and does nothing to a terminal.
std::string on_one_line(std::string_view text);
/// The whole characters of UTF-8 from the start of `text` that fit into `most` bytes. If that is
/// not all of it, "…" follows, which is not counted.
std::string cut_utf8(std::string_view text, std::size_t most);
/// The first byte from `byte` on that starts a character of UTF-8; the text's size after the last.
std::size_t next_character(std::string_view text, std::size_t byte);
/// `text` for a Markdown document, also for a table's cell: on one line, with no markup in it.
std::string escaped_markdown(std::string_view text);

}  // namespace normbench
