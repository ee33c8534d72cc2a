#include "document/field_schema.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/reader.h"
#include "document/members.h"
#include "document/results_fields.h"

namespace normbench {
namespace members {
namespace {

Json whole_schema(std::int64_t least, std::int64_t most) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}};
}

struct TensorMember {
  const char* name;
  About about;
};
constexpr auto kTensorMembers = std::to_array<TensorMember>(
    {{"dtype", {"The type of its elements"}},
     {"shape", {"Images, channels, rows and columns, whatever the layout", "elements"}},
     {"layout", {"The order in memory: images, channels, rows, columns, or channels last"}},
     {"pixel_format",
      {"How its pixels are stored; absent: channels of one size. Others are planes of Y, Cb and "
       "Cr"}},
     {"memory", {"The kind of memory that it is in"}},
     {"strides",
      {"Of a tensor with gaps: the distances of images, channels, rows and columns", "elements"}}});

Json four_numbers() {
  Json schema = list_schema(whole_schema(0, std::numeric_limits<std::int64_t>::max()));
  schema["minItems"] = 4;
  schema["maxItems"] = 4;
  return schema;
}

/// Returns the JSON Schema of a tensor. Reader::describing() makes a Reader that reads nothing:
/// each getter that read_tensor() calls adds to the schema what it would accept.
Json tensor_definition() {
  Json schema;
  std::vector<Issue> unused;
  Reader reader = Reader::describing(schema, unused);
  reader.takes("shape", four_numbers());
  reader.takes("strides", four_numbers());
  read_tensor(reader);
  schema["description"] = "A tensor: an input, or what a stage writes";
  for (const auto& [name, about] : kTensorMembers)
    schema["properties"][name] = described(std::move(schema["properties"][name]), about);
  return schema;
}

/// Returns the JSON Schema of "rounds": an object with one list for each entry of round_columns,
/// such as "wall_ns". All lists have the same length.
Json rounds_definition() {
  Json schema{{"type", "object"},
              {"description",
               "Turns as columns: value i of each list is of the turn in round i, with all its "
               "iterations. A column of zeros is left out, except wall_ns"},
              {"properties", Json::object()},
              {"required", Json::array({round_columns.front().name})}};
  for (const RoundColumn& column : round_columns) {
    const bool is_time = column.name == round_columns.front().name;
    schema["properties"][column.name] =
        described(list_schema(whole_schema(is_time ? 1 : 0, kMostWhole)), column.about);
  }
  return schema;
}

/// Adds the JSON Schema of a struct, and of the structs in it, to `definitions`. The function
/// fields() of the struct (results_fields.h) first calls object(), and then one of the other
/// functions for each field.
class Describer {
 public:
  explicit Describer(Json& definitions) : definitions_(definitions) {}

  const std::string& name() const { return name_; }

  void object(const char* name, const char* about) {
    name_ = name;
    definitions_[name_] = {
        {"type", "object"}, {"description", about}, {"properties", Json::object()}};
  }
  template <class T>
  void operator()(const char* name, const T& value, About about) {
    Json schema = schema_of(name, value);
    // A document may have "" in place of an enumerator that is not known.
    if (schema.contains("enum")) schema["enum"].push_back("");
    add(name, std::move(schema), about);
  }
  template <class T>
  void when_known(const char* name, const T& value, About about) {
    (*this)(name, value, about);
  }
  template <class T>
  void required(const char* name, const T& value, About about) {
    add(name, schema_of(name, value), about);
    definitions_[name_]["required"].push_back(name);
  }

 private:
  void add(const char* name, Json schema, About about) {
    definitions_[name_]["properties"][name] = described(std::move(schema), about);
  }

  Json schema_of(const char*, const std::string&) { return {{"type", "string"}}; }
  Json schema_of(const char*, bool) { return {{"type", "boolean"}}; }
  Json schema_of(const char*, const Json&) { return {{"type", "object"}}; }
  Json schema_of(const char* name, int) {
    return whole_schema(static_cast<int>(least_of(name)), std::numeric_limits<int>::max());
  }
  Json schema_of(const char* name, std::int64_t) {
    const auto least = static_cast<std::int64_t>(least_of(name));
    return whole_schema(least, least < 0 ? std::numeric_limits<std::int64_t>::max() : kMostWhole);
  }
  Json schema_of(const char* name, double) {
    Json schema{{"type", "number"}, {"minimum", least_of(name)}, {"maximum", kMostNumber}};
    if (may_be_infinite(name)) schema["type"] = {"number", "null"};
    return schema;
  }
  template <Enum E>
  Json schema_of(const char*, E) {
    return {{"enum", all_words<E>()}};
  }
  Json schema_of(const char*, const TensorDesc&) { return defined("tensor"); }
  Json schema_of(const char*, const std::vector<Round>&) { return defined("rounds"); }
  Json schema_of(const char*, const std::vector<std::vector<int>>&) {
    return list_schema(list_schema(whole_schema(0, kMostContender)));
  }
  template <class T>
  Json schema_of(const char* name, const std::optional<T>&) {
    return schema_of(name, T());
  }
  template <class T>
  Json schema_of(const char* name, const std::vector<T>&) {
    return list_schema(schema_of(name, T()));
  }
  template <class T>
  requires std::is_class_v<T> Json schema_of(const char*, const T&) {
    T value;
    Describer inner(definitions_);
    fields(inner, value);
    return defined(inner.name());
  }

  Json& definitions_;
  std::string name_;
};

}  // namespace
}  // namespace members

Json field_definitions() {
  Json definitions = {{"tensor", members::tensor_definition()},
                      {"rounds", members::rounds_definition()}};
  Results results;
  members::Describer describer(definitions);
  fields(describer, results);
  return definitions;
}

}  // namespace normbench
