/// Characters of UTF-8 text, and which of them are not safe to show.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace normbench {

/// A character of a text: its code point and its length in bytes. A byte that is not UTF-8 has no
/// code point and length 1.
struct Character {
  std::optional<char32_t> code;
  std::size_t bytes = 1;
};

/// Returns the first character of `text`, which must not be empty.
Character first_character(std::string_view text);

/// Returns true for these characters:
/// - control characters (C0, DEL, C1), which terminals obey;
/// - separators of lines;
/// - marks that change the direction of text;
/// - invisible characters without width, which can make two different names look the same.
/// Returns false for marks that join or place the letters of a script.
bool is_control(char32_t code);

/// Returns true if `text` is not UTF-8 or contains a character for which is_control() is true.
bool has_control(std::string_view text);

/// Returns a character as an escape sequence of C++, like "\n", "\u001b" or "\U000e0041". A byte
/// that is not UTF-8 becomes a sequence like "\xff".
std::string escaped(std::string_view character);

}  // namespace normbench
