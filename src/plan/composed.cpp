#include "plan/composed.h"

#include <fmt/format.h>

namespace normbench {

std::string wrong_type(std::string_view wanted, const Json& got) {
  if (got.is_object()) return fmt::format("expected {}, got an object", wanted);
  if (got.is_array()) return fmt::format("expected {}, got a list", wanted);
  const std::string text = got.dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format("expected {}, got {}", wanted, text.size() <= 60 ? text : got.type_name());
}

void relocate(std::span<Issue> issues, const std::map<std::string, std::string>& places) {
  for (Issue& issue : issues)
    for (const auto& [here, place] : places) {
      if (issue.pointer != here && !issue.pointer.starts_with(here + "/")) continue;
      issue.pointer.replace(0, here.size(), place);
      break;
    }
}

void Composed::add(const Json& more, const std::string& at) {
  if (!more.is_object()) return;
  for (const auto& [key, value] : more.items()) {
    if (fields.contains(key)) continue;
    fields[key] = value;
    if (at != pointer) origins[key] = at + "/" + pointer_token(key);
  }
}

std::string Composed::where(std::string_view key) const {
  if (const auto origin = origins.find(std::string(key)); origin != origins.end())
    return origin->second;
  return fields.contains(key) ? pointer + "/" + pointer_token(key) : pointer;
}

void Composed::relocate(std::span<Issue> issues) const {
  std::map<std::string, std::string> places;
  for (const auto& [key, origin] : origins) places[pointer + "/" + pointer_token(key)] = origin;
  normbench::relocate(issues, places);
}

}  // namespace normbench
