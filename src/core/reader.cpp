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

/// A value as errors quote it.
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

/// What `convert` makes of a value, or the fallback when it is absent or convert throws Invalid.
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

/// The same for each element of a list; every wrong element is an issue.
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

/// "(did you mean "batch"?)", or what is known when nothing is near.
std::string suggestion(const std::string& said, const std::vector<std::string>& known) {
  const std::string near = nearest(said, known);
  if (!near.empty()) return fmt::format("(did you mean \"{}\"?)", near);
  return known.empty() ? "(none is known here)"
                       : fmt::format("(known: {})", fmt::join(known, ", "));
}

}  // namespace

Reader::Reader(const Json& value, std::string pointer, std::vector<Issue>& issues)
    : value_(value.is_object() ? value : empty_object()),
      pointer_(std::move(pointer)),
      issues_(issues) {
  if (!value.is_object()) complain("expected an object, got " + shown(value));
}

const Json* Reader::find(std::string_view key) {
  if (std::ranges::find(asked_, key) == asked_.end()) asked_.emplace_back(key);
  const auto found = value_.find(key);
  return found == value_.end() ? nullptr : &*found;
}

bool Reader::has(std::string_view key) { return find(key) != nullptr; }

std::int64_t Reader::integer(std::string_view key, std::int64_t fallback, std::int64_t low,
                             std::int64_t high) {
  return one(find(key), pointer_to(key), issues_, fallback,
             [&](const Json& value) { return as_integer(value, low, high); });
}

double Reader::number(std::string_view key, double fallback, double low, double high) {
  return one(find(key), pointer_to(key), issues_, fallback,
             [&](const Json& value) { return as_number(value, low, high); });
}

bool Reader::boolean(std::string_view key, bool fallback) {
  return one(find(key), pointer_to(key), issues_, fallback, [](const Json& value) {
    if (!value.is_boolean()) wrong_type("true or false", value);
    return value.get<bool>();
  });
}

std::string Reader::text(std::string_view key, std::string fallback) {
  return one(find(key), pointer_to(key), issues_, std::move(fallback), as_text);
}

std::vector<double> Reader::numbers(std::string_view key, std::vector<double> fallback) {
  using Limits = std::numeric_limits<double>;
  return list(find(key), pointer_to(key), issues_, std::move(fallback),
              [](const Json& value) { return as_number(value, Limits::lowest(), Limits::max()); });
}

std::vector<std::int64_t> Reader::integers(std::string_view key,
                                           std::vector<std::int64_t> fallback) {
  using Limits = std::numeric_limits<std::int64_t>;
  return list(find(key), pointer_to(key), issues_, std::move(fallback),
              [](const Json& value) { return as_integer(value, Limits::min(), Limits::max()); });
}

std::vector<std::string> Reader::texts(std::string_view key, std::vector<std::string> fallback) {
  return list(find(key), pointer_to(key), issues_, std::move(fallback), as_text);
}

const Json& Reader::member(std::string_view key) {
  static const Json null;
  const Json* value = find(key);
  return value == nullptr ? null : *value;
}

Reader Reader::object(std::string_view key) {
  const Json* value = find(key);
  return {value == nullptr ? empty_object() : *value, pointer_to(key), issues_};
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
  for (const auto& [key, value] : value_.items())
    if (std::ranges::find(asked_, key) == asked_.end())
      complain_at(key, fmt::format("unknown key {} {}", shown(key), suggestion(key, asked_)));
}

std::string Reader::pointer_to(std::string_view key) const {
  return pointer_ + "/" + pointer_token(key);
}

Json tensor_json(const TensorDesc& desc) {
  const Shape& shape = desc.shape;
  return {{"dtype", name_of(desc.dtype)},
          {"shape", {shape.n, shape.c, shape.h, shape.w}},
          {"layout", name_of(desc.layout)},
          {"memory", name_of(desc.memory)}};
}

TensorDesc read_tensor(Reader& reader) {
  auto shape = reader.integers("shape", {0, 0, 0, 0});
  // Beyond this the bytes of a tensor, and so its strides, would overflow.
  double elements = 1;
  for (const auto extent : shape) elements *= std::max(1.0, static_cast<double>(extent));
  if (shape.size() != 4 || elements > 0x1p60 || *std::ranges::min_element(shape) < 0) {
    reader.complain_at("shape", "expected [n, c, h, w]");
    shape = {0, 0, 0, 0};
  }
  return dense(reader.word("dtype", DType::UInt8), reader.word("layout", Layout::Nchw),
               {shape[0], shape[1], shape[2], shape[3]}, reader.word("memory", Memory::Pageable));
}

}  // namespace normbench
