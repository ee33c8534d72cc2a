#include "plan/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "core/characters.h"
#include "ops/op.h"
#include "plan/composed.h"
#include "plan/config.h"
#include "plan/sweep.h"
#include "plan/variant.h"

namespace normbench {
namespace {

constexpr std::string_view threads_name = "threads";

/// Returns the values of an axis. `text` is a JSON list, or values with commas between them.
Json values_of(const std::string& text) {
  const std::vector<std::string> words = split_values(text);
  const Json whole = json_or_text(text);
  if (words.size() == 1 && whole.is_array()) return whole;
  Json values = Json::array();
  for (const std::string& word : words) {
    if (word.empty()) throw Invalid("a value is empty");
    values.push_back(json_or_text(word));
  }
  return values;
}

/// Sets the value at `pointer`. Throws Invalid if the config has neither this value nor an object
/// to which it can be added.
void set_at(Json& config, const std::string& pointer, Json value) {
  try {
    const Json::json_pointer target(pointer);
    const Json::json_pointer parent = target.parent_pointer();
    if (!config.contains(target) && !(config.contains(parent) && config[parent].is_object()))
      throw Invalid("the config has no such member");
    config[target] = std::move(value);
  } catch (const Json::exception&) {
    throw Invalid("is no JSON pointer (write /experiments/0/source/batch, for example)");
  }
}

/// Returns the experiments of the config that are objects.
std::vector<Json*> experiments_of(Json& config) {
  std::vector<Json*> experiments;
  if (!value_at(config, "/experiments").is_array()) return experiments;
  for (Json& experiment : config["experiments"])
    if (experiment.is_object()) experiments.push_back(&experiment);
  return experiments;
}

/// Sets a key of `measure`. Removes the key from each experiment's own `measure`, so that the new
/// value applies to all experiments.
void set_measure(Json& config, const std::string& name, Json value) {
  if (config.is_object() && !config.contains("measure")) config["measure"] = Json::object();
  set_at(config, "/measure/" + name, std::move(value));
  if (std::ranges::find(own_measure_keys, name) == own_measure_keys.end()) return;
  for (Json* experiment : experiments_of(config))
    if (value_at(*experiment, "/measure").is_object()) (*experiment)["measure"].erase(name);
}

/// A parameter of all stages of an op, or the number of threads.
struct Parameter {
  std::string op, field;  // the op is "" for threads
};

/// Calls `visit` with each stage of a list, including the stages inside of ranges. A range is an
/// object with the members "range" and "stages".
void each_stage(Json& list, const std::function<void(Json&)>& visit) {
  if (!list.is_array()) return;
  for (Json& stage : list) {
    const bool is_range = stage.is_object() && stage.contains("range") && !stage.contains("op");
    if (!is_range)
      visit(stage);
    else if (stage.contains("stages"))
      each_stage(stage["stages"], visit);
  }
}

/// Calls `visit` with each variant: an object with options, or a list of stages.
void each_variant(Json& experiment, const std::function<void(Json&)>& visit) {
  if (!value_at(experiment, "/variants").is_object()) return;
  for (auto& [name, variant] : experiment["variants"].items()) visit(variant);
}

Json& stages_of(Json& variant) {
  return variant.is_object() && variant.contains("stages") ? variant["stages"] : variant;
}

std::string op_of(const Json& stage) {
  const Json& op = stage.is_object() ? value_at(stage, "/op") : stage;
  return op.is_string() ? op.get<std::string>() : "";
}

/// `start` is "source" or "load". Returns true if the first op of the variant is `start`, or if it
/// is neither a source nor a load, so that the variant starts with the experiment's source or load,
/// or with a default source.
bool begins_outside(Json& variant, std::string_view start) {
  std::optional<std::string> first;
  each_stage(stages_of(variant), [&](Json& stage) {
    if (!first) first = op_of(stage);
  });
  return first && (!roles_named(*first).starts || *first == start);
}

/// Returns true if a stage of the experiment has the parameter. All experiments have "threads".
bool has(Json& experiment, const Parameter& wanted) {
  if (wanted.op.empty()) return true;
  bool found = false;
  const auto look = [&](Json& stage) {
    found = found || takes_default_of(op_of(stage), wanted.op, wanted.field);
  };
  const std::string start(experiment.contains("load") ? Load::name : Source::name);
  each_variant(experiment, [&](Json& variant) {
    each_stage(stages_of(variant), look);
    found = found || (wanted.op == start && begins_outside(variant, start));
  });
  if (experiment.contains("setup")) each_stage(experiment["setup"], look);
  return found;
}

/// Calls `visit` with every object of the experiment that may have the parameter as a member.
void each_place(Json& experiment, const Parameter& wanted,
                const std::function<void(Json&)>& visit) {
  if (wanted.op.empty()) {
    visit(experiment);
    each_variant(experiment, [&](Json& variant) {
      if (variant.is_object()) visit(variant);
    });
    return;
  }
  const auto visit_stage = [&](Json& stage) {
    if (stage.is_object() && op_of(stage) == wanted.op) visit(stage);
  };
  each_variant(experiment, [&](Json& variant) { each_stage(stages_of(variant), visit_stage); });
  if (experiment.contains("setup")) each_stage(experiment["setup"], visit_stage);
  if (!experiment.contains(wanted.op) || !roles_named(wanted.op).starts) return;
  Json& start = experiment[wanted.op];
  if (start.is_object()) visit(start);
  if (start.is_array())
    for (Json& one : start)
      if (one.is_object()) visit(one);
}

/// Adds the names of the axes that `json` uses: "size" for "$size" and "$size.h".
void add_used(const Json& json, std::set<std::string>& used) {
  if (json.is_string()) {
    const std::string& text = json.get_ref<const std::string&>();
    if (text.starts_with('$')) used.insert(text.substr(1, text.find('.') - 1));
  }
  if (json.is_structured())
    for (const Json& one : json) add_used(one, used);
}

std::set<std::string> used_axes(const Json& experiment, const Json& defaults) {
  std::set<std::string> used;
  add_used(experiment, used);
  add_used(defaults, used);
  return used;
}

/// `before` has the axes that were used before a change. Removes from "sweep" and "vary" those of
/// them that are not used any more, and returns their names.
std::set<std::string> drop_unused(Json& experiment, const Json& defaults,
                                  const std::set<std::string>& before) {
  const std::set<std::string> after = used_axes(experiment, defaults);
  std::set<std::string> dropped;
  for (const char* const key : {"sweep", "vary"}) {
    if (!value_at(experiment, std::string("/") + key).is_object()) continue;
    Json& axes = experiment[key];
    for (const std::string& name : before)
      if (!after.contains(name) && axes.erase(name) > 0) dropped.insert(name);
    if (axes.empty()) experiment.erase(key);
  }
  return dropped;
}

/// Returns true if one of these axes is in the "point" or "across" of an entry of `claims` or
/// `published`.
bool names_axis(const Json& entry, const std::set<std::string>& axes) {
  return std::ranges::any_of(axes, [&](const std::string& axis) {
    return value_at(entry, "/point").contains(axis) || value_at(entry, "/across").contains(axis);
  });
}

/// Returns true if the text names a case by a value of one of these axes: "fused [batch=8]".
bool names_case(const Json& text, const std::set<std::string>& axes) {
  if (!text.is_string()) return false;
  const std::string& name = text.get_ref<const std::string&>();
  return std::ranges::any_of(axes, [&](const std::string& axis) {
    return name.find("[" + axis + "=") != name.npos || name.find(", " + axis + "=") != name.npos;
  });
}

/// Removes the claims, the published figures and the baseline that name a value of one of `axes`.
/// The caller has removed these axes or changed their values. Returns the number of removed
/// entries.
int drop_outdated(Json& experiment, const std::set<std::string>& axes) {
  int dropped = 0;
  if (axes.empty()) return dropped;
  for (const char* const key : {"claims", "published"}) {
    if (!value_at(experiment, std::string("/") + key).is_array()) continue;
    Json kept = Json::array();
    for (const Json& entry : experiment[key]) {
      const Json& expects = value_at(entry, "/expects");
      const bool is_named = std::ranges::any_of(
          expects.is_array() ? expects : Json::array({value_at(entry, "/variant")}),
          [&](const Json& side) { return names_case(side, axes); });
      if (names_axis(entry, axes) || is_named)
        ++dropped;
      else
        kept.push_back(entry);
    }
    experiment[key] = std::move(kept);
  }
  if (names_case(value_at(experiment, "/baseline"), axes))
    dropped += static_cast<int>(experiment.erase("baseline"));
  return dropped;
}

/// Returns true if the member exists and is not an object. The caller then changes nothing, and the
/// planner reports the mistake.
bool is_wrong(const Json& json, const std::string& member) {
  const Json& found = value_at(json, "/" + member);
  return !found.is_null() && !found.is_object();
}

/// Returns the pointers to the member `member` of these experiments.
std::vector<std::string> pointers_to(Json& config, const std::vector<Json*>& experiments,
                                     const std::string& member) {
  std::vector<std::string> pointers;
  for (const Json* experiment : experiments)
    pointers.push_back(
        fmt::format("/experiments/{}/{}", experiment - &config["experiments"][0], member));
  return pointers;
}

/// Parses the name of a parameter, like "normalize.dtype" or "threads". Throws Invalid if it is
/// wrong.
Parameter parameter_of(const std::string& name) {
  if (name == threads_name) return {.op = "", .field = name};
  const std::size_t dot = name.find('.');
  if (dot == name.npos) throw Invalid(R"(expected OP.FIELD, like normalize.dtype, or "threads")");
  const Parameter parameter{.op = name.substr(0, dot), .field = name.substr(dot + 1)};
  const std::vector<std::string> known = op_names();
  if (std::ranges::find(known, parameter.op) == known.end())
    throw Invalid(unknown("op", parameter.op, known));
  if (parameter.field.empty()) throw Invalid("names no field of the op");
  return parameter;
}

/// Returns the experiments that have the parameter. Throws Invalid if the config has experiments,
/// but none of them has the parameter.
std::vector<Json*> users_of(Json& config, const Parameter& parameter) {
  std::vector<Json*> users = experiments_of(config);
  const bool any = !users.empty();
  std::erase_if(users, [&](Json* experiment) { return !has(*experiment, parameter); });
  if (users.empty() && any)
    throw Invalid(fmt::format("no experiment has a stage \"{}\"", parameter.op));
  return users;
}

/// Removes the parameter from the defaults and from these experiments. Also removes the axes that
/// only the parameter used. Returns how many claims, published figures and baselines were removed
/// because they name such an axis.
int clear(Json& config, const Parameter& parameter, const std::vector<Json*>& users) {
  int dropped = 0;
  const Json before = value_at(config, "/defaults");
  if (value_at(config, "/defaults/" + parameter.op).is_object())
    config["defaults"][parameter.op].erase(parameter.field);
  for (Json* experiment : users) {
    const std::set<std::string> used = used_axes(*experiment, before);
    each_place(*experiment, parameter, [&](Json& place) { place.erase(parameter.field); });
    dropped +=
        drop_outdated(*experiment, drop_unused(*experiment, value_at(config, "/defaults"), used));
  }
  return dropped;
}

/// Sets the parameter, after clear() has removed it: `threads` in each experiment, and a parameter
/// of an op in `defaults`. Returns the pointers to the values that were set.
std::vector<std::string> put(Json& config, const Parameter& parameter,
                             const std::vector<Json*>& users, const Json& value) {
  if (parameter.op.empty()) {
    for (Json* experiment : users) (*experiment)[parameter.field] = value;
    return pointers_to(config, users, parameter.field);
  }
  if (is_wrong(config, "defaults") || is_wrong(config, "defaults/" + parameter.op)) return {};
  config["defaults"][parameter.op][parameter.field] = value;
  return {fmt::format("/defaults/{}/{}", parameter.op, pointer_token(parameter.field))};
}

/// Sets a parameter for all experiments that have it. Does not set `option` of the result.
ConfigChange set_parameter(Json& config, const std::string& name, const Json& value) {
  const Parameter parameter = parameter_of(name);
  const std::vector<Json*> users = users_of(config, parameter);
  const int dropped = clear(config, parameter, users);
  return {.pointers = put(config, parameter, users, value), .dropped = dropped};
}

/// Returns a name for a new axis. No axis of the experiments has this name.
std::string free_axis(const Parameter& parameter, const std::vector<Json*>& experiments) {
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::any_of(experiments, [&](const Json* experiment) {
      return value_at(*experiment, "/sweep").contains(name) ||
             value_at(*experiment, "/vary").contains(name);
    });
  };
  std::string name = parameter.field;
  if (is_taken(name)) name = parameter.op + "_" + parameter.field;
  for (int i = 2; is_taken(name); ++i)
    name = fmt::format("{}_{}_{}", parameter.op, parameter.field, i);
  return name;
}

/// Makes the parameter `name` an axis with the values in `text`. `key` is "sweep" or "vary".
ConfigChange add_axis(Json& config, const std::string& key, const std::string& name,
                      const std::string& text) {
  const Parameter parameter = parameter_of(name);
  const Json values = values_of(text);
  if (values.empty()) throw Invalid("has no values");
  if (const Json* const twice = repeated(values))
    throw Invalid(fmt::format("the value {} is there twice", twice->dump()));
  const std::vector<Json*> users = users_of(config, parameter);
  const int dropped = clear(config, parameter, users);
  const std::string axis = free_axis(parameter, users);
  put(config, parameter, users, "$" + axis);
  for (Json* experiment : users)
    if (!is_wrong(*experiment, key)) (*experiment)[key][axis] = values;
  return {.pointers = pointers_to(config, users, key + "/" + axis), .dropped = dropped};
}

ConfigChange set(Json& config, const std::string& name, const std::string& text) {
  if (name.starts_with('/')) {
    set_at(config, name, json_or_text(text));
    return {.pointers = {name}};
  }
  if (name == threads_name || name.find('.') != name.npos)
    return set_parameter(config, name, json_or_text(text));
  if (std::ranges::find(measure_keys, name) == measure_keys.end())
    throw Invalid(unknown("name", name, {measure_keys.begin(), measure_keys.end()}) +
                  ", threads, OP.FIELD=value or /json/pointer=value");
  set_measure(config, name, json_or_text(text));
  return {.pointers = {"/measure/" + name}};
}

}  // namespace

Json json_or_text(const std::string& text) {
  std::vector<Issue> duplicates;
  try {
    Json value = parse_json(text, duplicates);
    if (duplicates.empty()) return value;
  } catch (const Invalid&) {
    if (is_utf8(text)) return text;
    throw Invalid("the value is not UTF-8");
  }
  throw Invalid("the value has a key twice");
}

std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values{""};
  int depth = 0;
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && (c == '[' || c == '{')) ++depth;
    if (!is_quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !is_quoted)
      values.emplace_back();
    else
      values.back() += c;
  }
  return values;
}

std::vector<ConfigChange> apply_changes(Json& config, const PlanOptions& options,
                                        std::vector<Issue>& issues) {
  std::vector<ConfigChange> changes;
  if (!config.is_object()) return changes;  // the planner reports this mistake
  using Apply = std::function<ConfigChange(const std::string&, const std::string&)>;
  const auto apply = [&](std::string_view option, const Assignments& assignments,
                         const Apply& change) {
    for (const auto& [name, value] : assignments) {
      const std::string said = fmt::format("{} {}={}", option, name, value);
      try {
        changes.push_back(change(name, value));
        changes.back().option = said;
      } catch (const Invalid& mistake) {
        issues.push_back({"", fmt::format("{}: {}", said, mistake.what())});
      }
    }
  };
  const auto along = [&](const char* key) {
    return [&config, key](const std::string& name, const std::string& values) {
      return add_axis(config, key, name, values);
    };
  };
  apply("--set", options.set, [&](const std::string& name, const std::string& value) {
    return set(config, name, value);
  });
  apply("--axis", options.axis, along("sweep"));
  apply("--vary", options.vary, along("vary"));
  return changes;
}

}  // namespace normbench
