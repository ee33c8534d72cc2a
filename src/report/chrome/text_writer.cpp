#include "report/chrome/text_writer.h"

#include <array>
#include <cmath>

namespace normbench {

TextWriter& TextWriter::operator<<(double number) {
  std::array<char, 400> text{};  // the largest double has 309 digits
  const double finite = std::isfinite(number) ? number : 0;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), finite, std::chars_format::fixed, 3);
  return *this << std::string_view(text.data(), static_cast<std::size_t>(end.ptr - text.data()));
}

TextWriter& TextWriter::put_long(std::string_view text) {
  flush();
  if (text.size() <= capacity) return *this << text;
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
  return *this;
}

}  // namespace normbench
