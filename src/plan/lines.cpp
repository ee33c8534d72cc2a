#include "plan/lines.h"

#include <algorithm>

namespace normbench {
namespace {

constexpr std::size_t max_columns = 100;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// Bytes of `text` that fit in `columns`: up to a space where there is one, never within a
/// character.
std::size_t fitting(std::string_view text, std::size_t columns) {
  std::size_t used = 0, last_space = 0, at = 0;
  for (; at < text.size(); ++at) {
    if (!is_continuation(text[at]) && ++used > columns) break;
    if (text[at] == ' ') last_space = at;
  }
  if (at == text.size()) return at;
  if (text[at] == ' ') return at;
  return last_space > 0 ? last_space : at;
}

}  // namespace

void Lines::add(std::size_t indent, std::string_view text) {
  const std::size_t deeper = indent + 4;
  do {
    const std::size_t length = fitting(text, max_columns - indent);
    text_.append(length > 0 ? indent : 0, ' ');
    text_ += text.substr(0, length);
    text_ += '\n';
    text.remove_prefix(length);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    indent = deeper;
  } while (!text.empty());
}

}  // namespace normbench
