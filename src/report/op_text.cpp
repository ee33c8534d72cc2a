#include "report/op_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/units.h"
#include "ops/op.h"
#include "plan/schema.h"

namespace normbench {
namespace {

constexpr std::size_t kFieldEnd = 23;

std::string default_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Returns a field with its default, like "scale=1.0". Returns only its name if it has no default.
std::string field_text(const std::string& name, const Json& schema) {
  const bool has_default = schema.is_object() && schema.contains("default");
  return has_default ? name + "=" + default_text(schema["default"]) : name;
}

/// Returns the limits of a number in a schema, like " from 1 to 1,024". A maximum of 2^31 - 1 or
/// more is not shown. Returns "" if no limit is shown.
std::string range_text(const Json& schema) {
  constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<std::int32_t>::max());
  std::string text;
  if (schema.contains("minimum")) text += " from " + format_count(schema["minimum"]);
  if (schema.contains("maximum") && schema["maximum"] < most)
    text += " to " + format_count(schema["maximum"]);
  return text;
}

std::string takes_text(const Json& schema);

std::string list_text(const Json& schema) {
  const std::string of =
      schema.contains("items") ? takes_text(schema["items"]) : std::string("anything");
  if (schema.contains("minItems") && schema.value("maxItems", Json()) == schema["minItems"])
    return fmt::format("[{} values: {}]", schema["minItems"].get<std::int64_t>(), of);
  return fmt::format("[{}, …]", of);
}

std::string object_text(const Json& schema) {
  std::vector<std::string> members;
  const Json& properties = value_at(schema, "/properties");
  for (const auto& [name, member] : properties.items())
    members.push_back(fmt::format("{}: {}", name, takes_text(member)));
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

/// Returns the values that a schema accepts, like "whole number from 1" or "nchw, nhwc".
std::string takes_text(const Json& schema) {
  if (!schema.is_object()) return "anything";
  std::vector<std::string> texts;
  if (schema.contains("enum")) {
    for (const Json& word : schema["enum"]) texts.push_back(default_text(word));
    return fmt::format("{}", fmt::join(texts, ", "));
  }
  if (schema.contains("anyOf")) {
    for (const Json& one : schema["anyOf"]) texts.push_back(takes_text(one));
    return fmt::format("{}", fmt::join(texts, ", or "));
  }
  const std::string type = schema.value("type", "");
  if (type == "array") return list_text(schema);
  if (type == "object") return object_text(schema);
  if (type == "integer") return "whole number" + range_text(schema);
  if (type == "boolean") return "true, false";
  return type == "string" ? "text" : type == "number" ? "number" : "anything";
}

/// Returns a line for each field, with its default and the values that it accepts.
std::string fields_text(const Json& fields, const Screen& screen) {
  std::string text;
  for (const auto& [name, schema] : fields.items())
    text += labelled(field_text(name, schema), takes_text(schema), kFieldEnd, prose_width(screen));
  return text;
}

}  // namespace

std::string op_list_text(const Screen& screen) {
  std::string text;
  for_each_op([&]<class T>(std::type_identity<T>) {
    text += labelled(T::name, T::about, kFieldEnd, prose_width(screen));
    const OpMembers members = op_members(std::string(T::name));
    std::vector<std::string> fields;
    for (const auto& [name, schema] : members.own.items())
      fields.push_back(field_text(name, schema));
    text += wrapped(fmt::format("{}", fmt::join(fields, ", ")), kFieldEnd, prose_width(screen), 0);
  });
  return text;
}

std::string op_text(const std::string& op, const Screen& screen) {
  std::string text;
  for_each_op([&]<class T>(std::type_identity<T>) {
    if (T::name == op) text = wrapped(fmt::format("{}: {}", op, T::about), 0, prose_width(screen));
  });
  const OpMembers members = op_members(op);
  text += members.own.empty() ? "  (no fields of its own)\n" : fields_text(members.own, screen);
  return text + "\nAs every stage it may have\n" + fields_text(members.common, screen);
}

}  // namespace normbench
