#include "trace/read/chunked_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/issue.h"

namespace normbench {

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

}  // namespace normbench
