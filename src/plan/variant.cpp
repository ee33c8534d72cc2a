#include "plan/variant.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/op.h"
#include "plan/label.h"

namespace normbench {
namespace {

/// A member that stages with the op `op` also take from the defaults of another op, `from`.
struct Shared {
  std::string_view op, member, from;
};
constexpr std::size_t most_stages = 1000;  // so that sums over all tensors cannot overflow

constexpr auto shared = std::to_array<Shared>({{"sub", "mean", "normalize"},
                                               {"sub", "constants", "normalize"},
                                               {"div", "std", "normalize"},
                                               {"div", "constants", "normalize"},
                                               {"denormalize", "mean", "normalize"},
                                               {"denormalize", "std", "normalize"},
                                               {"denormalize", "scale", "normalize"},
                                               {"model", "mean", "normalize"},
                                               {"model", "std", "normalize"}});

/// Pairs of members of a source or load, of which a stage must have only one. If a stage has one
/// member of a pair, it does not take the other member from the experiment.
constexpr auto instead_of = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"shape", "batch"}, {"shape", "channels"}, {"shape", "size"}, {"path", "dataset"}});

/// Returns true if a stage with the members `said` must not take `member` from the experiment's
/// source or load:
/// - `fit` and `shorter`, if `said` has a "storage" other than "image";
/// - `shorter`, if `said` has a "fit" other than "crop";
/// - a member of a pair in instead_of, if `said` has the other member of the pair.
bool is_replaced(std::string_view member, const Json& said) {
  const auto says_other = [&](std::string_view key, std::string_view value) {
    const auto found = said.find(key);
    return found != said.end() && *found != value;
  };
  if ((member == "fit" || member == "shorter") && says_other("storage", "image")) return true;
  if (member == "shorter" && says_other("fit", "crop")) return true;
  return std::ranges::any_of(instead_of, [&](const auto& pair) {
    return (pair.first == member && said.contains(pair.second)) ||
           (pair.second == member && said.contains(pair.first));
  });
}

/// Reads a stage from `text`, in which axes are already replaced.
StageText read_stage_text(const Json& text, const std::string& pointer,
                          std::vector<Issue>& issues) {
  StageText stage;
  stage.members.pointer = pointer;
  const bool is_object = text.is_object();
  const std::string at = is_object ? pointer + "/op" : pointer;
  if (is_object && !text.contains("op")) {
    issues.push_back({pointer, "no \"op\" (say what the stage does)"});
    return stage;
  }
  const Json& op = is_object ? text.at("op") : text;
  const std::vector<std::string> known = op_names();
  if (!op.is_string())
    issues.push_back({at, wrong_type("an op's name", op)});
  else if (std::ranges::find(known, op.get<std::string>()) == known.end())
    issues.push_back({at, unknown("op", op.get<std::string>(), known)});
  else
    stage.op = op.get<std::string>();
  stage.members.add(text, pointer);
  stage.members.fields.erase("op");
  return stage;
}

StageText start_of(const std::string& op, const Json& members, const std::string& pointer,
                   std::vector<Issue>& issues) {
  StageText start;
  start.members.pointer = pointer;
  if (members.is_object())
    start.op = op;
  else
    issues.push_back({pointer, wrong_type("an object", members)});
  start.members.add(members, pointer);
  return start;
}

/// Returns the stages with which the experiment's variants start: its load, or its sources (one or
/// several). If it has neither, returns a source without members.
std::vector<StageText> starts_of(const VariantPlace& place, Substitution& axes,
                                 std::vector<Issue>& issues) {
  const std::string op(place.experiment.contains("load") ? Load::name : Source::name);
  const std::string pointer = place.pointer + "/" + op;
  if (!place.experiment.contains(op)) return {start_of(op, Json::object(), pointer, issues)};
  const Json said = axes.apply(place.experiment.at(op), pointer);
  if (!said.is_array() || op == Load::name) return {start_of(op, said, pointer, issues)};
  if (said.empty()) issues.push_back({pointer, "has no source (a list of at least one)"});
  if (said.empty()) return {StageText{.op = "", .members = {}}};
  std::vector<StageText> starts;
  for (std::size_t i = 0; i < said.size(); ++i)
    starts.push_back(start_of(op, said[i], fmt::format("{}/{}", pointer, i), issues));
  return starts;
}

/// Returns the stages of the experiment's `setup`.
std::vector<StageText> setup_of(const VariantPlace& place, Substitution& axes,
                                std::vector<Issue>& issues) {
  if (!place.experiment.contains("setup") || place.experiment.contains("load")) return {};
  const std::string pointer = place.pointer + "/setup";
  const Json said = axes.apply(place.experiment.at("setup"), pointer);
  if (!said.is_array())
    issues.push_back({pointer, wrong_type("a list of stages", said)});
  else if (said.empty())
    issues.push_back({pointer, "has no stages (a list of at least one)"});
  std::vector<StageText> stages;
  for (std::size_t i = 0; said.is_array() && i < said.size(); ++i)
    stages.push_back(read_stage_text(said[i], fmt::format("{}/{}", pointer, i), issues));
  return stages;
}

/// Returns the stages of a variant as written, and the pointer to them. Adds the other members of
/// the variant to `options`.
std::pair<Json, std::string> split(const Json& variant, const std::string& pointer,
                                   Composed& options, std::vector<Issue>& issues) {
  if (!variant.is_object()) return {variant, pointer};
  options.add(variant, pointer);
  options.fields.erase("stages");
  if (variant.contains("stages")) return {variant.at("stages"), pointer + "/stages"};
  issues.push_back({pointer, "no \"stages\" (a list of ops)"});
  return {Json(), ""};
}

bool is_range(const Json& stage) {
  return stage.is_object() && stage.contains("range") && !stage.contains("op");
}

std::size_t count_stages(const Json& list) {
  std::size_t count = 0;
  for (const Json& stage : list)
    count += is_range(stage) && stage.contains("stages") ? count_stages(stage.at("stages")) : 1;
  return count;
}

/// Puts the stages of a variant, including those in ranges, into one list.
class Flattening {
 public:
  Flattening(const VariantPlace& place, Substitution& axes, std::vector<Issue>& issues,
             VariantText& text)
      : place_(place), axes_(axes), issues_(issues), text_(text) {}

  void add(const Json& list, const std::string& at) {
    if (!list.is_array()) return issues_.push_back({at, wrong_type("a list of stages", list)});
    if (list.empty()) issues_.push_back({at, "has no stages (a list of at least one)"});
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string pointer = fmt::format("{}/{}", at, i);
      is_range(list[i]) ? add_range(list[i], pointer) : add_stage(list[i], pointer);
    }
  }

 private:
  void add_stage(const Json& said, const std::string& pointer) {
    StageText stage = read_stage_text(said, pointer, issues_);
    const bool starts = roles_named(stage.op).starts;
    if (starts) take_from_experiment(stage);
    const bool bare = starts && said.is_string() && place_.experiment.contains(stage.op);
    const bool is_first = text_.stages.empty();
    if (is_first && (bare || !starts)) text_.stages = starts_of(place_, axes_, issues_);
    if (is_first && (bare || !starts)) text_.setup = setup_of(place_, axes_, issues_);
    if (!is_first || !bare) text_.stages.push_back(std::move(stage));
    if (!text_.stages.empty()) text_.stages.back().ranges = open_;
    if (!text_.stages.empty() && !roles_named(text_.stages.back().op).given) ++running_;
  }

  /// Adds members of the experiment's source or load to a stage that lacks them. If the experiment
  /// has a list of sources, adds nothing. Only the first stage takes "as", the names of its
  /// outputs, because a name may be given only once.
  void take_from_experiment(StageText& stage) {
    const auto found = place_.experiment.find(stage.op);
    if (found == place_.experiment.end() || !found->is_object()) return;
    const Json said = stage.members.fields;
    const std::string pointer = place_.pointer + "/" + stage.op;
    for (const auto& [member, value] : found->items()) {
      if (is_replaced(member, said) || said.contains(member) ||
          (member == "as" && !text_.stages.empty()))
        continue;
      stage.members.add({{member, axes_.apply(value, pointer + "/" + pointer_token(member))}},
                        pointer);
    }
  }

  void add_range(const Json& said, const std::string& pointer) {
    Reader reader(said, pointer, issues_);
    const std::string name = read_range(reader);
    const Json& stages = reader.member("stages");
    if (stages.is_null()) return;
    text_.ranges.push_back({.name = name, .pointer = pointer + "/range"});
    const std::size_t mistakes = issues_.size(), running = running_;
    open_.push_back(name);
    add(stages, pointer + "/stages");
    open_.pop_back();
    if (issues_.size() == mistakes && running_ == running)
      issues_.push_back({pointer + "/stages", "has no stage that runs (a source is simply there)"});
  }

  const VariantPlace& place_;
  Substitution& axes_;
  std::vector<Issue>& issues_;
  VariantText& text_;
  std::vector<std::string> open_;  // names of the open ranges, outermost first
  std::size_t running_ = 0;        // number of stages so far, without sources
};

/// Adds members of `defaults` that the stage lacks: the members for its op, and for some ops (see
/// `shared`) members of `normalize`.
void add_defaults(const Json& defaults, StageText& stage, Substitution& axes) {
  const auto take = [&](std::string_view from, const std::string& member, const Json& value) {
    const std::string at = fmt::format("/defaults/{}", from);
    if (stage.members.fields.contains(member)) return;
    stage.members.add({{member, axes.apply(value, at + "/" + pointer_token(member))}}, at);
  };
  if (!defaults.is_object()) return;
  if (const auto own = defaults.find(stage.op); own != defaults.end() && own->is_object())
    for (const auto& [member, value] : own->items()) take(stage.op, member, value);
  for (const auto& [op, member, from] : shared) {
    const auto other = op == stage.op ? defaults.find(from) : defaults.end();
    if (other != defaults.end() && other->is_object() && other->contains(member))
      take(from, std::string(member), other->at(member));
  }
}

}  // namespace

bool takes_default_of(std::string_view op, std::string_view from, std::string_view member) {
  return op == from || std::ranges::any_of(shared, [&](const Shared& one) {
           return one.op == op && one.from == from && one.member == member;
         });
}

std::string read_range(Reader& reader) {
  std::string name = read_label(reader, "range", "");
  reader.require("stages", "a list of ops");
  reader.finish();
  return name;
}

VariantText complete_variant(const VariantPlace& place, const std::string& name, const Json& said,
                             Substitution& axes, std::vector<Issue>& issues) {
  const std::string pointer = place.pointer + "/variants/" + pointer_token(name);
  const std::size_t before = issues.size();
  const Json variant = axes.apply(said, pointer);
  VariantText text;
  text.options.pointer = pointer;
  const auto [stages, at] = split(variant, pointer, text.options, issues);
  if (place.experiment.contains("threads") && !text.options.fields.contains("threads"))
    text.options.add(
        {{"threads", axes.apply(place.experiment.at("threads"), place.pointer + "/threads")}},
        place.pointer);
  if (at.empty()) return text;
  if (const std::size_t count = stages.is_array() ? count_stages(stages) : 0; count > most_stages) {
    issues.push_back({at, fmt::format("has {} stages (at most {})", count, most_stages)});
    return text;
  }
  Flattening(place, axes, issues, text).add(stages, at);
  for (auto* list : {&text.stages, &text.setup})
    for (StageText& stage : *list) add_defaults(place.defaults, stage, axes);
  if (place.experiment.contains("outputs")) {
    const Json outputs = axes.apply(place.experiment.at("outputs"), place.pointer + "/outputs");
    const Json member = {{"outputs", outputs}};
    Reader reader(member, place.pointer, issues);
    text.outputs = reader.texts("outputs", {});
    if (outputs.is_array() && outputs.empty())
      reader.complain_at("outputs", "is empty (names of values, or leave it out)");
  }
  if (place.batch > 0 && roles_named(text.stages.front().op).given) {
    Json& fields = text.stages.front().members.fields;
    (fields.contains("shape") ? fields["shape"][0] : fields["batch"]) = place.batch;
  }
  text.whole = issues.size() == before;
  return text;
}

}  // namespace normbench
