#include "core/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace normbench {
namespace {

const Json& empty_object() {
  static const Json object = Json::object();
  return object;
}

std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : fmt::format("a {} of {} bytes", value.type_name(), text.size());
}

[[noreturn]] void wrong_type(std::string_view wanted, const Json& value) {
  throw Invalid(fmt::format("expected {}, got {}", wanted, shown(value)));
}

template <class T>
[[noreturn]] void out_of_range(bool above, T low, T high, const Json& value) {
  throw Invalid(fmt::format("must be at {} {}, got {}", above ? "most" : "least",
                            above ? high : low, shown(value)));
}

std::int64_t as_integer(const Json& value, std::int64_t low, std::int64_t high) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (number != std::trunc(number)) wrong_type("an integer", value);
    if (number >= 0x1p63 || number < -0x1p63) out_of_range(number > 0, low, high, value);
  } else if (value.is_number_unsigned()) {
    if (value.get<std::uint64_t>() > largest) out_of_range(true, low, high, value);
  } else if (!value.is_number_integer()) {
    wrong_type("an integer", value);
  }
  const auto integer = value.get<std::int64_t>();
  if (integer < low || integer > high) out_of_range(integer > high, low, high, value);
  return integer;
}

double as_number(const Json& value, double low, double high) {
  if (!value.is_number()) wrong_type("a number", value);
  const auto number = value.get<double>();
  if (number < low || number > high) out_of_range(number > high, low, high, value);
  return number;
}

std::string as_text(const Json& value) {
  if (!value.is_string()) wrong_type("a string", value);
  return value.get<std::string>();
}

/// Returns convert(*value). If the value is absent, returns the fallback. If `convert` throws
/// Invalid, adds an issue and returns the fallback.
template <class T, class Convert>
T one(const Json* value, const std::string& pointer, std::vector<Issue>& issues, T fallback,
      Convert convert) {
  if (value == nullptr) return fallback;
  try {
    return convert(*value);
  } catch (const Invalid& mistake) {
    issues.push_back({pointer, mistake.what()});
    return fallback;
  }
}

/// Returns convert(element) for each element of a list. A value that is no list counts as a list of
/// one element. Each wrong element adds an issue. Returns the fallback if an element is wrong or if
/// the value is absent.
template <class T, class Convert>
std::vector<T> list(const Json* value, const std::string& pointer, std::vector<Issue>& issues,
                    std::vector<T> fallback, Convert convert) {
  if (value == nullptr) return fallback;
  const auto issues_before = issues.size();
  std::vector<T> result;
  if (value->is_array())
    for (std::size_t i = 0; i < value->size(); ++i)
      result.push_back(one(&(*value)[i], pointer + "/" + std::to_string(i), issues, T{}, convert));
  else
    result.push_back(one(value, pointer, issues, T{}, convert));
  return issues.size() == issues_before ? result : fallback;
}

template <class T>
Json within(std::string_view type, T low, T high) {
  Json schema{{"type", type}};
  using Limits = std::numeric_limits<T>;
  if (low != Limits::lowest()) schema["minimum"] = low;
  if (high != Limits::max()) schema["maximum"] = high;
  return schema;
}

/// Returns true if `schema` should contain `fallback` as its default: if `fallback` is not empty
/// and is within the bounds of `schema`.
bool is_default(const Json& fallback, const Json& schema) {
  if (fallback.is_null() || (!fallback.is_number() && fallback.empty()) || fallback == "")
    return false;
  return !fallback.is_number() || (fallback >= schema.value("minimum", fallback) &&
                                   fallback <= schema.value("maximum", fallback));
}

/// Returns a schema that accepts a value of `schema`, or a list of such values.
Json list_of(Json schema) { return {{"anyOf", {schema, {{"type", "array"}, {"items", schema}}}}}; }

std::string suggestion(const std::string& said, const std::vector<std::string>& known) {
  const std::string near = nearest(said, known);
  if (!near.empty()) return fmt::format("(did you mean \"{}\"?)", near);
  return known.empty() ? "(none is known here)" : fmt::format("(known: {})", listed(known));
}

}  // namespace

Reader::Reader(const Json& value, std::string pointer, std::vector<Issue>& issues)
    : value_(value.is_object() ? value : empty_object()),
      pointer_(std::move(pointer)),
      issues_(issues) {
  if (!value.is_object()) complain("expected an object, got " + shown(value));
}

Reader Reader::describing(Json& schema, std::vector<Issue>& unused) { return {unused, schema, ""}; }

Reader::Reader(std::vector<Issue>& unused, Json& whole, std::string pointer)
    : value_(empty_object()), pointer_(std::move(pointer)), issues_(unused), schema_(&whole) {
  whole[Json::json_pointer(pointer_)] = {{"type", "object"}, {"properties", Json::object()}};
}

Json& Reader::described(std::string_view key) {
  return (*schema_)[Json::json_pointer(pointer_ + "/properties/" + pointer_token(key))];
}

/// Adds `schema` to the alternatives (anyOf) that the member `key` may match. Returns the JSON
/// pointer of the added schema.
std::string Reader::described_as(std::string_view key, Json schema) {
  Json& known = described(key);
  const std::string at = pointer_ + "/properties/" + pointer_token(key);
  if (known.is_null() || known == true) {
    known = std::move(schema);
    return at;
  }
  if (known == schema) return at;
  if (!known.contains("anyOf")) known = {{"anyOf", {known}}};
  known["anyOf"].push_back(std::move(schema));
  return fmt::format("{}/anyOf/{}", at, known["anyOf"].size() - 1);
}

void Reader::takes(std::string_view key, Json schema) {
  if (schema_ == nullptr) return;
  described(key) = std::move(schema);
  asked_.emplace_back(key);
}

/// Adds `schema`, which describes what a getter accepts, to the schema of the object. If has()
/// asked for the key, leaves out the default, because the caller may treat an absent member
/// differently from one with the default value.
void Reader::describe(std::string_view key, Json schema, const Json& fallback) {
  if (schema_ == nullptr || std::ranges::find(asked_, key) != asked_.end()) return;
  const bool by_has = !described(key).is_null();
  if (!by_has && is_default(fallback, schema)) schema["default"] = fallback;
  described_as(key, std::move(schema));
}

const Json* Reader::find(std::string_view key) {
  if (schema_ != nullptr) return nullptr;
  if (std::ranges::find(asked_, key) == asked_.end()) asked_.emplace_back(key);
  const auto found = value_.find(key);
  return found == value_.end() ? nullptr : &*found;
}

bool Reader::has(std::string_view key) {
  if (schema_ == nullptr) return find(key) != nullptr;
  if (described(key).is_null()) described(key) = true;
  return true;
}

bool Reader::require(std::string_view key, std::string_view why) {
  if (schema_ != nullptr)
    (*schema_)[Json::json_pointer(pointer_ + "/required")].push_back(std::string(key));
  if (has(key)) return true;
  complain(fmt::format("no \"{}\" ({})", key, why));
  return false;
}

std::int64_t Reader::integer(std::string_view key, std::int64_t fallback, std::int64_t low,
                             std::int64_t high) {
  describe(key, within("integer", low, high), fallback);
  return one(find(key), pointer_to(key), issues_, fallback,
             [&](const Json& value) { return as_integer(value, low, high); });
}

double Reader::number(std::string_view key, double fallback, double low, double high) {
  describe(key, within("number", low, high), fallback);
  return one(find(key), pointer_to(key), issues_, fallback,
             [&](const Json& value) { return as_number(value, low, high); });
}

bool Reader::boolean(std::string_view key, bool fallback) {
  describe(key, {{"type", "boolean"}}, fallback);
  return one(find(key), pointer_to(key), issues_, fallback, [](const Json& value) {
    if (!value.is_boolean()) wrong_type("true or false", value);
    return value.get<bool>();
  });
}

std::string Reader::text(std::string_view key, std::string fallback) {
  describe(key, {{"type", "string"}}, fallback);
  return one(find(key), pointer_to(key), issues_, std::move(fallback), as_text);
}

std::vector<double> Reader::numbers(std::string_view key, std::vector<double> fallback) {
  using Limits = std::numeric_limits<double>;
  describe(key, list_of({{"type", "number"}}), fallback);
  return list(find(key), pointer_to(key), issues_, std::move(fallback),
              [](const Json& value) { return as_number(value, Limits::lowest(), Limits::max()); });
}

std::vector<std::int64_t> Reader::integers(std::string_view key, std::vector<std::int64_t> fallback,
                                           std::int64_t low, std::int64_t high) {
  describe(key, list_of(within("integer", low, high)), fallback);
  return list(find(key), pointer_to(key), issues_, std::move(fallback),
              [&](const Json& value) { return as_integer(value, low, high); });
}

std::vector<std::string> Reader::texts(std::string_view key, std::vector<std::string> fallback) {
  describe(key, list_of({{"type", "string"}}), fallback);
  return list(find(key), pointer_to(key), issues_, std::move(fallback), as_text);
}

std::vector<std::string> Reader::texts_of(std::string_view key,
                                          const std::vector<std::string>& words) {
  describe(key, list_of({{"enum", words}}), Json::array());
  return list(find(key), pointer_to(key), issues_, std::vector<std::string>(), as_text);
}

std::optional<std::string> Reader::text_of(std::string_view key,
                                           const std::vector<std::string>& words,
                                           std::string fallback) {
  describe(key, {{"enum", words}}, fallback);
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return one(value, pointer_to(key), issues_, std::move(fallback), as_text);
}

const Json& Reader::member(std::string_view key) {
  static const Json null;
  if (schema_ != nullptr) has(key);
  const Json* value = find(key);
  return value == nullptr ? null : *value;
}

Reader Reader::object(std::string_view key) {
  if (schema_ != nullptr) return {issues_, *schema_, described_as(key, Json::object())};
  const Json* value = find(key);
  return {value == nullptr ? empty_object() : *value, pointer_to(key), issues_};
}

Reader Reader::members(std::string_view key) {
  return {issues_, *schema_, described_as(key, {{"type", "object"}}) + "/additionalProperties"};
}

Reader Reader::element(std::string_view key, std::size_t index) {
  if (schema_ == nullptr)
    return {member(key).at(index), fmt::format("{}/{}", pointer_to(key), index), issues_};
  return {issues_, *schema_, described_as(key, {{"type", "array"}}) + "/items"};
}

std::size_t Reader::list_size(std::string_view key) {
  if (schema_ != nullptr) return 1;
  if (!has(key)) return 0;
  const Json& list = member(key);
  if (list.is_array()) return list.size();
  complain_at(key, "expected a list, got " + shown(list));
  return 0;
}

bool Reader::is_object_at(std::string_view key, std::size_t index) {
  return schema_ != nullptr || member(key).at(index).is_object();
}

void Reader::complain(std::string text) { issues_.push_back({pointer_, std::move(text)}); }

void Reader::complain_at(std::string_view key, std::string text) {
  issues_.push_back({pointer_to(key), std::move(text)});
}

void Reader::unknown_word(std::string_view key, const std::string& said,
                          const std::vector<std::string>& known) {
  complain_at(key, fmt::format("unknown value {} {}", shown(said), suggestion(said, known)));
}

void Reader::finish() {
  if (schema_ != nullptr)
    (*schema_)[Json::json_pointer(pointer_ + "/additionalProperties")] = false;
  for (const auto& [key, value] : value_.items())
    if (std::ranges::find(asked_, key) == asked_.end())
      complain_at(key, fmt::format("unknown key {} {}", shown(key), suggestion(key, asked_)));
}

std::string Reader::pointer_to(std::string_view key) const {
  return pointer_ + "/" + pointer_token(key);
}

Json tensor_json(const TensorDesc& desc) {
  Json json{{"dtype", name_of(desc.dtype)},
            {"shape", desc.shape.extents()},
            {"layout", name_of(desc.layout)},
            {"memory", name_of(desc.memory)}};
  if (desc.shape.is_ycbcr()) json["pixel_format"] = name_of(desc.shape.format);
  return json;
}

TensorDesc read_tensor(Reader& reader) {
  auto shape = reader.integers("shape", {0, 0, 0, 0});
  // With more than 2^60 elements, sizes in bytes and strides would overflow.
  double elements = 1;
  for (const auto extent : shape) elements *= std::max(1.0, static_cast<double>(extent));
  if (shape.size() != 4 || elements > 0x1p60 || *std::ranges::min_element(shape) < 0) {
    reader.complain_at("shape", "expected [n, c, h, w]");
    shape = {0, 0, 0, 0};
  }
  TensorDesc desc{.dtype = reader.word("dtype", DType::UInt8),
                  .layout = reader.word("layout", Layout::Nchw),
                  .shape = {shape[0], shape[1], shape[2], shape[3],
                            reader.word("pixel_format", PixelFormat::Rgb)},
                  .strides = {},
                  .memory = reader.word("memory", Memory::Pageable)};
  if (desc.shape.is_ycbcr() &&
      (desc.shape.c != 3 || desc.layout != Layout::Nchw || desc.dtype != DType::UInt8)) {
    reader.complain_at("pixel_format", "goes with 3 channels of uint8 and the layout nchw");
    desc.shape.format = PixelFormat::Rgb;
  }
  desc.strides = dense_strides(desc.shape, desc.layout);
  return desc;
}

}  // namespace normbench
