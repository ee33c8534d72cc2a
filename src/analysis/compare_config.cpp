#include "analysis/compare_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace normbench {
namespace {

constexpr std::size_t kMostShown = 60;  // bytes of a quoted value

const Json& member(const Json& object, const std::string& key) {
  static const Json absent;
  const auto found = object.find(key);
  return found == object.end() ? absent : *found;
}

void walk(const std::string& pointer, const Json& a, const Json& b,
          std::vector<std::string>& differences);

void walk_objects(const std::string& pointer, const Json& a, const Json& b,
                  std::vector<std::string>& differences) {
  for (const auto& [key, value] : a.items())
    if (key != "about")
      walk(pointer + "/" + pointer_token(key), value, member(b, key), differences);
  for (const auto& [key, value] : b.items())
    if (key != "about" && !a.contains(key))
      walk(pointer + "/" + pointer_token(key), Json(), value, differences);
}

void walk(const std::string& pointer, const Json& a, const Json& b,
          std::vector<std::string>& differences) {
  if (a.is_object() && b.is_object()) return walk_objects(pointer, a, b, differences);
  if (!a.is_array() || !b.is_array() || a.size() != b.size()) {
    if (a != b) differences.push_back(pointer);
    return;
  }
  for (std::size_t i = 0; i < a.size(); ++i)
    walk(pointer + "/" + std::to_string(i), a[i], b[i], differences);
}

}  // namespace

std::vector<std::string> config_differences(const Json& a, const Json& b) {
  std::vector<std::string> differences;
  walk("", a, b, differences);
  return differences;
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "absent";
  std::string text = value.is_string() ? value.get<std::string>()
                                       : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kMostShown) return text;
  std::size_t end = kMostShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

}  // namespace normbench
