#include "core/characters.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

namespace normbench {
namespace {

// The code points for which is_control() returns true, as ranges with both ends included: C0, DEL
// and C1, the line separators, and the Unicode format characters (category Cf). Format characters
// that join letters or belong to a script are left out.
constexpr auto kControls = std::to_array<std::pair<char32_t, char32_t>>({{0x00, 0x1F},
                                                                         {0x7F, 0x9F},
                                                                         {0xAD, 0xAD},
                                                                         {0x61C, 0x61C},
                                                                         {0x180E, 0x180E},
                                                                         {0x200B, 0x200B},
                                                                         {0x200E, 0x200F},
                                                                         {0x2028, 0x202E},
                                                                         {0x2060, 0x206F},
                                                                         {0xFEFF, 0xFEFF},
                                                                         {0xFFF9, 0xFFFB},
                                                                         {0xE0000, 0xE007F}});

constexpr auto kShort = std::to_array<std::pair<char32_t, std::string_view>>(
    {{U'\b', "\\b"}, {U'\t', "\\t"}, {U'\n', "\\n"}, {U'\f', "\\f"}, {U'\r', "\\r"}});

}  // namespace

Character first_character(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (bytes <= 0) return {};
  return {static_cast<char32_t>(code), static_cast<std::size_t>(bytes)};
}

bool is_control(char32_t code) {
  return std::ranges::any_of(
      kControls, [code](const auto& range) { return range.first <= code && code <= range.second; });
}

bool has_control(std::string_view text) {
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    if (!code || is_control(*code)) return true;
    text.remove_prefix(bytes);
  }
  return false;
}

std::string escaped(std::string_view character) {
  const auto code = first_character(character).code;
  if (!code) return fmt::format("\\x{:02x}", static_cast<unsigned char>(character[0]));
  for (const auto& [control, text] : kShort)
    if (control == *code) return std::string(text);
  const auto number = static_cast<std::uint32_t>(*code);
  return number > 0xFFFF ? fmt::format("\\U{:08x}", number) : fmt::format("\\u{:04x}", number);
}

}  // namespace normbench
