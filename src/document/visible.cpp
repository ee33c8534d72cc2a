#include "document/visible.h"

#include "core/characters.h"
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

/// Looks for a text that visible() would change, because it has control characters.
struct FindHidden {
  bool found = false;

  void object(const char*, const char*) {}
  void operator()(const char*, const auto& value, About) { visit(value); }
  void required(const char*, const auto& value, About) { visit(value); }
  void when_known(const char*, const auto& value, About) { visit(value); }

  void visit(const std::string& text) { found = found || has_control(text); }
  void visit(const Json& json) {
    if (json.is_string()) return visit(json.get_ref<const std::string&>());
    if (json.is_array())
      for (const Json& item : json) visit(item);
    if (!json.is_object()) return;
    for (const auto& [key, value] : json.items()) {
      visit(key);
      visit(value);
    }
  }
  template <class T>
  void visit(const std::optional<T>& value) {
    if (value) visit(*value);
  }
  template <class T>
  void visit(const std::vector<T>& values) {
    for (const T& value : values) visit(value);
  }
  void visit(const std::vector<std::int64_t>&) {}
  void visit(const std::vector<Round>&) {}
  void visit(const TensorDesc&) {}
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void visit(const T&) {}
  template <class T>
  void visit(const T& object) {
    fields(*this, object);
  }
};

}  // namespace

bool is_visible(const Results& results) {
  FindHidden look;
  look.visit(results);
  return !look.found;
}

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
