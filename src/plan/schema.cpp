#include "plan/schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plan/config.h"
#include "plan/decide.h"
#include "plan/experiment.h"
#include "plan/label.h"
#include "plan/variant.h"

namespace normbench {
namespace {

Json to(std::string_view definition) { return {{"$ref", fmt::format("#/$defs/{}", definition)}}; }
Json list_of(const Json& schema) { return {{"type", "array"}, {"items", schema}, {"minItems", 1}}; }
Json any_of(std::initializer_list<Json> schemas) { return {{"anyOf", schemas}}; }

template <class Read>
Json described(Read read) {
  Json schema;
  std::vector<Issue> unused;
  Reader reader = Reader::describing(schema, unused);
  read(reader);
  reader.finish();
  return schema;
}

/// Returns a schema that applies `then` to values that `condition` accepts, and `otherwise` to all
/// other values. An "anyOf" of `then` and `otherwise` would be shorter, but an editor would report
/// the mistakes under both schemas.
Json either(const Json& condition, const Json& then, const Json& otherwise) {
  return {{"if", condition}, {"then", then}, {"else", otherwise}};
}

/// Returns a schema that accepts "$axis" (a reference to an axis of the sweep) and everything that
/// `schema` accepts.
Json or_axis(const Json& schema) { return either(to("axis"), true, schema); }

void allow_axes(Json& schema);

void allow_axes_within(Json& schema) {
  for (const char* const key : {"properties", "prefixItems", "anyOf"})
    if (schema.contains(key))
      for (Json& one : schema[key]) allow_axes(one);
  for (const char* const key : {"items", "additionalProperties"})
    if (schema.contains(key) && schema[key].is_object()) allow_axes(schema[key]);
}

/// Changes `schema` so that "$axis" may replace the value or any part of it. Does not change the
/// schema of a string, because it accepts "$axis" already.
void allow_axes(Json& schema) {
  allow_axes_within(schema);
  if (schema == true || schema.value("type", "") == "string") return;
  Json fallback = schema.value("default", Json());
  schema.erase("default");
  schema = or_axis(schema);
  if (!fallback.is_null()) schema["default"] = std::move(fallback);
}

/// Returns the schema of a stage with this op. No member is required, because `defaults` may have
/// the missing members.
Json op_schema(std::string_view name, std::string_view about) {
  Json schema = described([&](Reader& reader) { read_stage_members(std::string(name), reader); });
  schema.erase("required");
  allow_axes_within(schema);
  schema["properties"]["op"] = {{"const", name}};
  schema["description"] = about;
  return schema;
}

/// Returns the schema of a stage that is written as an object. Its members depend on its op.
Json stage_object() {
  Json by_op = Json::array();
  for (const std::string& name : op_names())
    by_op.push_back({{"if", {{"properties", {{"op", {{"const", name}}}}}}}, {"then", to(name)}});
  return {{"type", "object"},
          {"properties", {{"op", or_axis(to("op"))}}},
          {"required", {"op"}},
          {"allOf", by_op}};
}

Json range_schema() {
  Json schema = described([](Reader& reader) { read_range(reader); });
  schema["properties"]["stages"] = to("stages");
  schema["required"] = {"range", "stages"};
  return schema;
}

/// Returns the schema of a variant: a list of stages, or an object with "stages" and options.
Json variant_schema() {
  Json with_options = described(describe_variant);
  allow_axes_within(with_options);
  with_options["properties"]["stages"] = to("stages");
  with_options["required"] = {"stages"};
  return either({{"type", "object"}}, with_options, to("stages"));
}

Json axes_schema(std::string_view about) {
  Json values = list_of(true);
  values["uniqueItems"] = true;
  return {{"type", "object"},
          {"description", about},
          {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
          {"additionalProperties", values}};
}

Json experiment_schema(const Json& variant_options) {
  Json schema = described(describe_experiment);
  allow_axes_within(schema);
  Json& members = schema["properties"];
  members["sweep"] = axes_schema("One group, and one table column, for each value");
  members["vary"] = axes_schema("One variant for each value, compared within the group");
  members["source"] =
      or_axis(either({{"type", "array"}}, list_of(or_axis(to("source"))), to("source")));
  members["load"] = or_axis(to("load"));
  members["setup"] = list_of(to("stage"));
  members["outputs"] = any_of({{{"type", "string"}}, list_of({{"type", "string"}})});
  members["threads"] = variant_options.at("threads");
  members["variants"] = {
      {"type", "object"}, {"minProperties", 1}, {"additionalProperties", to("variant")}};
  schema["not"] = {{"required", {"source", "load"}}};
  return schema;
}

Json definitions() {
  Json all;
  all["axis"] = {{"type", "string"},
                 {"pattern", "^\\$"},
                 {"description", "The value of an axis of \"sweep\" or \"vary\""}};
  all["op"] = {{"enum", op_names()}};
  for_each_op([&]<class T>(std::type_identity<T>) {
    all[std::string(T::name)] = op_schema(T::name, T::about);
  });
  const Json is_range{{"type", "object"}, {"required", {"range"}}, {"not", {{"required", {"op"}}}}};
  all["stage"] = or_axis(
      either({{"type", "string"}}, to("op"), either(is_range, to("range"), stage_object())));
  all["stages"] = or_axis(list_of(to("stage")));
  all["range"] = range_schema();
  all["variant"] = variant_schema();
  all["experiment"] = experiment_schema(all["variant"]["then"]["properties"]);
  return all;
}

/// Returns the schema of `defaults`. It has a member for each op: the members that stages with this
/// op have by default.
Json defaults_schema() {
  Json members;
  for (const std::string& name : op_names()) members[name] = to(name);
  return {{"type", "object"}, {"properties", members}, {"additionalProperties", false}};
}

}  // namespace

OpMembers op_members(const std::string& op) {
  const Json own = described([&](Reader& reader) { read_op(op, reader); });
  const Json all = described([&](Reader& reader) { read_stage_members(op, reader); });
  OpMembers members{.own = own.value("properties", Json::object())};
  for (const auto& [name, schema] : all.at("properties").items())
    if (!members.own.contains(name)) members.common[name] = schema;
  return members;
}

Json config_schema(const std::vector<std::string>& sort_keys) {
  PlanOptions options;
  options.sort_keys = sort_keys;
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", kSchemaTitle},
              {"description", "Experiments that normbench runs: variants, compared side by side"}};
  schema.update(described([&](Reader& reader) { read_head(reader, options); }));
  Json& members = schema["properties"];
  members["defaults"] = defaults_schema();
  members["peers"] = {{"type", "object"}, {"additionalProperties", list_of({{"type", "string"}})}};
  members["experiments"] = list_of(to("experiment"));
  schema["$defs"] = definitions();
  return schema;
}

}  // namespace normbench
