#include "report/xml.h"

#include <algorithm>
#include <cstdint>

namespace normbench {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// One code point and how many bytes hold it; code 0 for bytes that are no UTF-8.
struct Decoded {
  char32_t code;
  std::size_t bytes;
};

Decoded decode(std::string_view text) {
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // shorter forms exist below
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF8   ? 0
                            : lead >= 0xF0 ? 4
                            : lead >= 0xE0 ? 3
                            : lead >= 0xC0 ? 2
                                           : 0;
  if (bytes == 0 || bytes > text.size()) return {0, 1};
  char32_t code = lead & (0xFF >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {0, 1};
    code = (code << 6) | (next & 0x3F);
  }
  return code < least[bytes] ? Decoded{0, 1} : Decoded{code, bytes};
}

/// What XML 1.0 calls a character.
bool allowed(char32_t code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code <= 0xD7FF) ||
         (code >= 0xE000 && code <= 0xFFFD) || (code >= 0x10000 && code <= 0x10FFFF);
}

std::string_view reference(char32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\t':
      return "&#9;";
    case '\n':
      return "&#10;";
    case '\r':
      return "&#13;";
    default:
      return "";
  }
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const auto [code, bytes] = decode(text);
    const std::string_view by_name = reference(code);
    escaped += !by_name.empty() ? by_name : allowed(code) ? text.substr(0, bytes) : kReplacement;
    text.remove_prefix(bytes);
  }
  return escaped;
}

}  // namespace normbench
