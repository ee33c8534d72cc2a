#include "document/visible.h"

#include "core/units.h"
#include "document/results_fields.h"

namespace normbench {
namespace {

struct MakeVisible {
  void object(const char*, const char*) {}
  void operator()(const char*, auto& value, About) { visit(value); }
  void required(const char*, auto& value, About) { visit(value); }
  void when_known(const char*, auto& value, About) { visit(value); }

  void visit(std::string& text) { text = on_one_line(text); }
  void visit(Json& json) { json = visible(json); }
  template <class T>
  void visit(std::optional<T>& value) {
    if (value) visit(*value);
  }
  template <class T>
  void visit(std::vector<T>& values) {
    for (T& value : values) visit(value);
  }
  void visit(std::vector<Round>&) {}
  void visit(TensorDesc&) {}
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void visit(T&) {}
  template <class T>
  void visit(T& object) {
    fields(*this, object);
  }
};

}  // namespace

Results visible(Results results) {
  MakeVisible().visit(results);
  return results;
}

ProfileRow visible(ProfileRow row) {
  MakeVisible().visit(row);
  return row;
}

Json visible(const Json& json) {
  if (json.is_string()) return on_one_line(json.get_ref<const std::string&>());
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& item : json) list.push_back(visible(item));
    return list;
  }
  if (!json.is_object()) return json;
  Json object = Json::object();
  for (const auto& [key, value] : json.items()) object[on_one_line(key)] = visible(value);
  return object;
}

}  // namespace normbench
