#include "plan/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "core/units.h"
#include "plan/composed.h"

namespace normbench {
namespace {

constexpr std::size_t max_combinations = 10'000;
constexpr std::size_t most_counted = 1'000'000'000'000'000;

bool is_letter(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"$" : ", \"$") + name + "\"";
  return text;
}

std::string unknown_axis(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest(name, known);
  if (!near.empty())
    return fmt::format("no axis is named \"{}\" (did you mean \"${}\"?)", name, near);
  return fmt::format("no axis is named \"{}\" ({}; a literal dollar is \"$$\")", name,
                     known.empty() ? "none is known here: add it to \"sweep\" or \"vary\""
                                   : "known: " + quoted(known));
}

/// Returns what is wrong with an axis as the config has it, or "".
std::string wrong_axis(const std::string& name, const Json& values) {
  if (!is_name(name)) return "an axis is named by letters, digits and _, and starts with no digit";
  if (!values.is_array()) return wrong_type("a list of values", values);
  if (values.empty()) return "has no values (a list of at least one)";
  if (const Json* const twice = repeated(values))
    return fmt::format("the value {} is there twice", twice->dump());
  return "";
}

/// Hashes JSON values. Equal values have equal hashes, even if one is a whole number and the other
/// one a double (1 and 1.0).
struct ValueHash {
  std::size_t operator()(const Json* value) const {
    if (value->is_number()) return std::hash<double>()(value->get<double>());
    if (!value->is_structured()) return std::hash<Json>()(*value);
    std::size_t hash = value->size();
    for (const Json& member : *value) hash = hash * 31 + (*this)(&member);
    return hash;
  }
};

struct SameValue {
  bool operator()(const Json* a, const Json* b) const { return *a == *b; }
};

}  // namespace

const Json* repeated(const Json& values) {
  std::unordered_set<const Json*, ValueHash, SameValue> seen;
  const auto twice =
      std::ranges::find_if(values, [&](const Json& value) { return !seen.insert(&value).second; });
  return twice == values.end() ? nullptr : &*twice;
}

Axes read_axes(Reader& experiment, std::string_view key) {
  Axes axes;
  if (!experiment.has(key)) return axes;
  const Json& written = experiment.member(key);
  if (!written.is_object()) {
    experiment.complain_at(key, wrong_type("an object of axes", written));
    return axes;
  }
  for (const auto& [name, values] : written.items()) {
    const std::string pointer = experiment.pointer_to(key) + "/" + pointer_token(name);
    if (const std::string mistake = wrong_axis(name, values); !mistake.empty()) {
      experiment.issues().push_back({pointer, mistake});
      axes.wrong.insert(name);
    } else {
      axes.list.push_back(
          {.name = name, .values = {values.begin(), values.end()}, .pointer = pointer});
    }
  }
  const std::size_t count = count_combinations(axes.list);
  if (count <= max_combinations) return axes;
  experiment.complain_at(key, fmt::format("has {}{} combinations of values (at most {}: leave out "
                                          "values, or write several experiments)",
                                          count == most_counted ? "more than " : "",
                                          format_count(static_cast<std::int64_t>(count)),
                                          format_count(max_combinations)));
  return {.too_many = true};
}

std::size_t count_combinations(const std::vector<Axis>& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes)
    count = axis.values.size() > most_counted / count ? most_counted : count * axis.values.size();
  return count;
}

std::vector<Combination> combinations(const std::vector<Axis>& axes) {
  std::vector<Combination> all(1);
  for (const Axis& axis : axes) {
    std::vector<Combination> longer;
    for (const Combination& start : all)
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        Combination& more = longer.emplace_back(start);
        more.assignment[axis.name] = axis.values[i];
        more.places[axis.name] = fmt::format("{}/{}", axis.pointer, i);
      }
    all = std::move(longer);
  }
  return all;
}

bool is_swept(const Json& value) {
  if (value.is_structured()) return std::ranges::any_of(value, is_swept);
  return value.is_string() && value.get_ref<const std::string&>().starts_with('$');
}

std::string axes_text(const Json& assignment) {
  std::string text;
  for (const auto& [axis, value] : assignment.items()) {
    if (!text.empty()) text += ", ";
    const Json& said = value.is_object() && value.contains("name") ? value["name"] : value;
    text += axis + "=" + (said.is_string() ? said.get<std::string>() : said.dump());
  }
  return text;
}

Substitution::Substitution(Json assignment, std::vector<Issue>& issues, AxisPlaces places)
    : assignment_(std::move(assignment)), issues_(issues), places_(std::move(places)) {}

void Substitution::relocate(std::span<Issue> issues) const {
  normbench::relocate(issues, replaced_);
}

Json Substitution::apply(const Json& text, const std::string& pointer) {
  if (text.is_string()) return replace(text.get_ref<const std::string&>(), pointer);
  if (!text.is_structured()) return text;
  Json copy = text;
  for (auto member = copy.begin(); member != copy.end(); ++member) {
    const std::string token =
        text.is_object() ? pointer_token(member.key()) : std::to_string(member - copy.begin());
    *member = apply(*member, pointer + "/" + token);
  }
  return copy;
}

Json Substitution::replace(const std::string& text, const std::string& pointer) {
  if (text.starts_with("$$")) return text.substr(1);
  if (!text.starts_with('$')) return text;
  const std::size_t dot = text.find('.');
  const std::string name = text.substr(1, dot == std::string::npos ? dot : dot - 1);
  const std::string field = dot == std::string::npos ? "" : text.substr(dot + 1);
  if (!is_name(name) || (dot != std::string::npos && !is_name(field))) return text;
  const auto complain = [&](std::string what) {
    issues_.push_back({pointer, std::move(what)});
    return Json();
  };
  const auto value = assignment_.find(name);
  if (value == assignment_.end()) return complain(unknown_axis(name, keys(assignment_)));
  used_.insert(name);
  const auto place = places_.find(name);
  const auto note = [&](const std::string& below) {
    if (place != places_.end()) replaced_[pointer] = place->second + below;
  };
  if (dot == std::string::npos) {
    note("");
    return *value;
  }
  if (!value->is_object())
    return complain(
        fmt::format("the values of axis \"{}\" have no fields (write \"${}\")", name, name));
  if (!value->contains(field))
    return complain(unknown(fmt::format("field of axis \"{}\"", name), field, keys(*value)));
  note("/" + pointer_token(field));
  return value->at(field);
}

}  // namespace normbench
