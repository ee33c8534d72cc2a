#include "trace/read/chunked_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "core/issue.h"

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

void ChunkedText::count_lines() {
  const std::string_view text(counted_, static_cast<std::size_t>(next_ - counted_));
  line_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
  const auto newline = text.rfind('\n');
  column_ = newline == std::string_view::npos ? column_ + text.size() : text.size() - newline - 1;
  counted_ = next_;
}

bool ChunkedText::read_on() {
  count_lines();
  in_.read(chunk_.data(), static_cast<std::streamsize>(chunk_.size()));
  if (in_.bad())
    throw Invalid(
        fmt::format("{}: the file is damaged or cut off here: it cannot be read on", place()));
  next_ = counted_ = chunk_.data();
  end_ = next_ + in_.gcount();
  return next_ != end_;
}

std::size_t ChunkedText::line() {
  count_lines();
  return line_;
}

std::string ChunkedText::place() {
  count_lines();
  return fmt::format("line {}, column {}", line_, std::max<std::size_t>(1, column_));
}

std::string_view ChunkedText::next_word() const {
  const char* const stop = std::find_if_not(
      next_, end_, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
  return {next_, static_cast<std::size_t>(stop - next_)};
}

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
