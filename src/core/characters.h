/// Characters of UTF-8 text, and which of them would do something to whoever shows the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace normbench {

/// The first character of a text: its code point and the bytes that hold it. Where the text is not
/// UTF-8, there is no code point and one byte.
struct Character {
  std::optional<char32_t> code;
  std::size_t bytes = 1;
};

/// The first character of `text`, which must not be empty.
Character first_character(std::string_view text);

/// True for what no text shows as a sign: control characters (C0, DEL, C1: a terminal obeys them),
/// separators of lines, marks that turn the direction of the text after them, and characters
/// without a width, with which two names can look alike. Marks that join or place signs of a script
/// are none of these.
bool is_control(char32_t code);

/// True where `text` holds such a character, or is not UTF-8.
bool has_control(std::string_view text);

/// A character as C++ writes it: "\n", "\u001b", "\U000e0041"; a byte that is not UTF-8 becomes
/// "\xff".
std::string escaped(std::string_view character);

}  // namespace normbench
