#include "core/markdown.h"

#include <algorithm>

namespace normbench {

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return line;
}

std::string escaped_markdown(std::string_view text) {
  std::string safe;
  for (const char c : on_one_line(text)) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else if (std::string_view("\\`*_{}[]|~#>").find(c) != std::string_view::npos)
      safe += std::string("\\") + c;
    else
      safe += c;
  }
  return safe;
}

}  // namespace normbench
