#include "plan/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "plan/composed.h"
#include "plan/expectations.h"
#include "plan/sweep.h"

namespace normbench {
namespace {

/// What is the same at every point of one experiment.
struct Frame {
  const Json& experiment;
  std::string pointer;
  std::vector<Axis> sweep, vary;
  std::set<std::string> used;  // axes that some text uses
};

/// The axes of `vary` that a variant uses, found by completing it once.
std::vector<Axis> varied_axes(const Frame& frame, const std::set<std::string>& used) {
  std::vector<Axis> axes;
  std::ranges::copy_if(frame.vary, std::back_inserter(axes),
                       [&](const Axis& axis) { return used.contains(axis.name); });
  return axes;
}

/// The cases of one variant at a point: one, or one per combination of the varied axes it uses.
void add_variant(Frame& frame, const std::string& name, const Json& point, Group& group,
                 PlanContext& context) {
  const VariantPlace place{
      .defaults = context.defaults, .experiment = frame.experiment, .pointer = frame.pointer};
  Json first = point;
  first.update(combinations(frame.vary).front());
  Substitution trial(first, context.issues);
  complete_variant(place, name, trial, context.issues);
  frame.used.insert(trial.used().begin(), trial.used().end());
  for (const Json& axes : combinations(varied_axes(frame, trial.used()))) {
    Json assignment = first;
    assignment.update(axes);
    Substitution substitution(assignment, context.issues);
    const VariantText text = complete_variant(place, name, substitution, context.issues);
    std::optional<Case> decided = decide_case(text, context);
    if (!decided) decided.emplace();
    decided->written = name;
    decided->variant = axes.empty() ? name : fmt::format("{} [{}]", name, axes_text(axes));
    decided->axes = axes;
    if (find_case(group, decided->variant) != nullptr)
      context.issues.push_back({frame.pointer + "/variants/" + pointer_token(name),
                                fmt::format("two variants are called \"{}\"", decided->variant)});
    group.cases.push_back(std::move(*decided));
  }
}

Group plan_point(Frame& frame, const Json& point, PlanContext& context) {
  Group group;
  group.point = point;
  for (const auto& [name, variant] : frame.experiment.at("variants").items())
    add_variant(frame, name, point, group, context);
  Substitution substitution(point, context.issues);
  Json rest = Json::object();
  for (const std::string key : {"name", "question", "baseline", "published", "claims"})
    if (frame.experiment.contains(key))
      rest[key] = substitution.apply(frame.experiment.at(key), frame.pointer + "/" + key);
  frame.used.insert(substitution.used().begin(), substitution.used().end());
  Reader reader(rest, frame.pointer, context.issues);
  group.experiment = reader.text("name", "");
  group.question = reader.text("question", "");
  read_baseline(reader, group);
  read_published(reader, frame.sweep, frame.vary, group);
  read_claims(reader, group);
  return group;
}

/// Reports axes that clash and, at the end, axes that nothing uses.
void check_axes(Reader& reader, const Frame& frame) {
  for (const Axis& axis : frame.vary)
    if (std::ranges::find(frame.sweep, axis.name, &Axis::name) != frame.sweep.end())
      reader.complain_at("vary", fmt::format("axis \"{}\" is in sweep too (keep one)", axis.name));
}

void check_used(Reader& reader, const Frame& frame) {
  const auto check = [&](std::string_view key, const std::vector<Axis>& axes) {
    for (const Axis& axis : axes)
      if (!frame.used.contains(axis.name))
        reader.issues().push_back(
            {reader.pointer_to(key) + "/" + axis.name,
             fmt::format("axis \"{0}\" is never used (write \"${0}\")", axis.name)});
  };
  check("sweep", frame.sweep);
  check("vary", frame.vary);
}

/// True if the experiment has variants to plan; reads over its keys.
bool check_keys(Reader& reader) {
  if (!reader.has("name")) reader.complain("no \"name\" (it names the experiment in outputs)");
  for (const std::string_view key : {"sweep", "vary", "question", "source", "load", "threads",
                                     "baseline", "published", "claims"})
    reader.has(key);
  const Json& variants = reader.member("variants");
  if (reader.has("source") && reader.has("load"))
    reader.complain("has both \"source\" and \"load\" (keep one)");
  if (variants.is_null())
    reader.complain("no \"variants\" (an object of pipelines to compare)");
  else if (!variants.is_object())
    reader.complain_at("variants", wrong_type("an object of variants", variants));
  else if (variants.empty())
    reader.complain_at("variants", "has no variants (an object of at least one)");
  reader.finish();
  return variants.is_object() && !variants.empty();
}

}  // namespace

std::vector<Group> plan_experiment(const Json& experiment, const std::string& pointer,
                                   PlanContext& context) {
  std::vector<Group> groups;
  Reader reader(experiment, pointer, context.issues);
  Frame frame{.experiment = experiment,
              .pointer = pointer,
              .sweep = read_axes(reader, "sweep"),
              .vary = read_axes(reader, "vary"),
              .used = {}};
  check_axes(reader, frame);
  if (!experiment.is_object() || !check_keys(reader)) return groups;
  for (const Json& point : combinations(frame.sweep))
    groups.push_back(plan_point(frame, point, context));
  check_used(reader, frame);
  return groups;
}

const Case* find_case(const Group& group, const std::string& name) {
  for (const auto member : {&Case::written, &Case::variant})
    for (const Case& one : group.cases)
      if (one.*member == name) return &one;
  return nullptr;
}

}  // namespace normbench
