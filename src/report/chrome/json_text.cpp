#include "report/chrome/json_text.h"

#include <nlohmann/json.hpp>

namespace normbench {

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
