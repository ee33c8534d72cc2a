#include "trace/read/json_mistake.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace normbench {
namespace {

bool contains_any(const std::string& text, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(
      parts, [&](const char* part) { return text.find(part) != std::string::npos; });
}

/// The library's words on the mistake, without those on itself and on what it read.
std::string detail_of(const std::string& message) {
  const auto dash = message.find(" - ");
  std::string detail = message.substr(dash == std::string::npos ? 0 : dash + 3);
  const auto read = detail.find("; last read: ");
  const auto expected = detail.rfind("; expected ");
  const std::string wanted = expected == std::string::npos ? "" : detail.substr(expected + 11);
  detail.erase(std::min({read, expected, detail.size()}));
  if (wanted.empty()) return detail;
  return fmt::format("{} (expected {})", detail,
                     wanted == "end of input" ? "nothing more" : wanted);
}

}  // namespace

std::string json_mistake(const std::string& message, const std::string& word) {
  if (contains_any(message, {"number overflow"})) return "a number too large for a double";
  if (contains_any(message, {"ill-formed UTF-8"})) return "invalid UTF-8 in a string";
  // The library takes one for the end; a real end is no mistake of this kind.
  if (contains_any(message, {"unexpected end of input"})) return "a NUL byte (expected text)";
  if (contains_any(message, {"invalid literal", "after '-'"})) {
    const auto before = word.find_last_of(" \t\r\n,:[{\">");
    return fmt::format("not JSON: unexpected {}",
                       before == std::string::npos ? word : word.substr(before + 1));
  }
  return fmt::format("not JSON: {}", detail_of(message));
}

bool ends_early(const std::string& message) {
  return contains_any(
      message, {"unexpected end of input", "invalid literal", "invalid number", "invalid string"});
}

}  // namespace normbench
