#include "document/members.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace normbench::members {
namespace {

Json base_schema(const Kind& kind, Json& definitions) {
  switch (kind.base) {
    case Kind::Base::Text:
      return kind.words == nullptr ? Json{{"type", "string"}} : Json{{"enum", kind.words()}};
    case Kind::Base::Flag:
      return {{"type", "boolean"}};
    case Kind::Base::Whole:
      return {{"type", "integer"}};
    case Kind::Base::Number:
      return {{"type", "number"}};
    case Kind::Base::Any:
      return Json::object();
    case Kind::Base::Object:
      break;
  }
  if (kind.of == nullptr) return {{"type", "object"}};
  define(*kind.of, definitions);
  return defined(kind.of->name);
}

/// Returns `schema`, changed so that it also accepts null.
Json nullable(Json schema) {
  if (schema.contains("type"))
    schema["type"] = Json::array({schema["type"], "null"});
  else if (schema.contains("enum"))
    schema["enum"].push_back(nullptr);
  else
    schema = {{"anyOf", {std::move(schema), {{"type", "null"}}}}};
  return schema;
}

Json map_schema(Json members) {
  return {{"type", "object"}, {"additionalProperties", std::move(members)}};
}

/// Returns the schema of a single value, of a list or of a map, as `holds` says. `values` is the
/// schema of the single value, or of each value in the list or map.
Json held_schema(Kind::Holds holds, Json values) {
  switch (holds) {
    case Kind::Holds::One:
      return values;
    case Kind::Holds::List:
      return list_schema(std::move(values));
    case Kind::Holds::Map:
      return map_schema(std::move(values));
    case Kind::Holds::MapOfLists:
      return map_schema(list_schema(std::move(values)));
  }
  return values;
}

}  // namespace

Json described(Json schema, const About& about) {
  const std::string_view unit = about.unit;
  schema["description"] = unit.empty() ? about.text : fmt::format("{} [{}]", about.text, unit);
  return schema;
}

Json list_schema(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json defined(std::string_view name) { return {{"$ref", fmt::format("#/$defs/{}", name)}}; }

Json schema_of(const Kind& kind, Json& definitions) {
  Json schema = held_schema(kind.holds, base_schema(kind, definitions));
  return kind.or_null ? nullable(std::move(schema)) : schema;
}

void define(const Members& members, Json& definitions) {
  if (!definitions.contains(members.name))
    definitions[members.name] = {
        {"type", "object"}, {"description", members.about}, {"properties", Json::object()}};
  for (const Member& member : members.list) {
    Json schema = described(schema_of(member.kind, definitions), member.about);
    definitions[members.name]["properties"][std::string(member.name)] = std::move(schema);
  }
}

}  // namespace normbench::members
