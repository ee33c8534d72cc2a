#include "report/chrome/text_writer.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

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

std::string json_string(std::string_view text) { return json_line(Json(text)); }

std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string_view JsonNames::json_string(std::string_view name) {
  if (const auto found = names_.find(name); found != names_.end()) return found->second;
  last_ = normbench::json_string(name);
  if (bytes_ + last_.size() > most_bytes) return last_;
  bytes_ += last_.size();
  return names_.emplace(name, last_).first->second;
}

}  // namespace normbench
