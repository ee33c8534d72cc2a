#include "plan/plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "plan/config.h"
#include "plan/decide.h"
#include "plan/experiment.h"
#include "plan/fit.h"
#include "plan/limits.h"
#include "plan/only.h"
#include "plan/resident.h"
#include "plan/reuse.h"

namespace normbench {
namespace {

/// True if `pointer` is where an axis is written.
bool is_axis(const Json& config, const std::string& pointer) {
  const Json::json_pointer target(pointer);
  return config.contains(target) && config.at(target).is_string() &&
         config.at(target).get_ref<const std::string&>().starts_with('$');
}

/// Throws all issues, each once: the same mistake may be found at several points of a sweep. Of
/// what an axis leads to, only the first is told.
void throw_if_any(const std::string& file, const Json& config, const std::vector<Issue>& issues) {
  std::vector<Issue> once;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Issue& issue : issues) {
    const std::string text = is_axis(config, issue.pointer) ? "" : issue.text;
    if (seen.emplace(issue.pointer, text).second) once.push_back(issue);
  }
  if (!once.empty()) throw BadInput(file, std::move(once));
}

Json parse(const std::string& file, std::string_view text, std::vector<Issue>& issues) {
  try {
    return parse_json(text, issues);
  } catch (const Invalid& mistake) {
    throw BadInput(file, {{"", mistake.what()}});
  }
}

/// Plans every experiment; their names must differ.
std::vector<Group> plan_experiments(const Json& experiments, PlanContext& context) {
  std::vector<Group> groups;
  std::set<std::string> names;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const std::string pointer = "/experiments/" + std::to_string(i);
    std::vector<Group> more = plan_experiment(experiments[i], pointer, context);
    if (!more.empty() && !names.insert(more.front().experiment).second)
      context.issues.push_back(
          {pointer + "/name", "another experiment is called \"" + more.front().experiment + "\""});
    std::ranges::move(more, std::back_inserter(groups));
  }
  return groups;
}

}  // namespace

std::int64_t fewest_read_bytes(const Case& work) {
  if (!work.source) return work.stages.front().fewest.read_bytes;
  const std::int64_t whole = work.source->desc().bytes();
  std::int64_t taken = 0;
  for (const Stage& stage : work.stages)
    if (std::ranges::find(stage.in, 0) != stage.in.end())
      taken += stage.fewest.read_bytes + stage.fewest.link_bytes;
  return taken == 0 ? whole : std::min(whole, taken);
}

Plan make_plan(const std::string& file, const Backends& backends, const PlanOptions& options) {
  try {
    return make_plan(file, read_text(file), backends, options);
  } catch (const Invalid& mistake) {
    throw BadInput(file, {{"", mistake.what()}});
  }
}

Plan make_plan(const std::string& file, std::string_view text, const Backends& backends,
               const PlanOptions& options) {
  std::vector<Issue> issues;
  Plan plan;
  plan.config = parse(file, text, issues);
  for (const auto& [name, value] : options.set) apply_set(plan.config, name, value, issues);
  Head head = read_head(plan.config, options, issues);
  PlanContext context{.backends = backends,
                      .options = options,
                      .defaults = head.defaults,
                      .peers = head.peers,
                      .issues = issues,
                      .resolved = {}};
  plan.groups = plan_experiments(head.experiments, context);
  throw_if_any(file, plan.config, issues);
  keep_only(plan.groups, options.only, issues);
  throw_if_any(file, plan.config, issues);
  for (Group& group : plan.groups)
    for (Case& work : group.cases) note_reuse(work, head.measure.cache);
  for (Group& group : plan.groups) {
    if (head.measure.cache == Cache::Cold)
      for (Case& work : group.cases) mark_resident(work, options.cache_bytes);
    skip_too_large_cases(group, head.measure.cache, options);
    group.limits = limits_of(group, backends);
    skip_too_large_limits(group, head.measure.cache, options);
  }
  plan.name = std::move(head.name);
  plan.about = std::move(head.about);
  plan.measure = head.measure;
  plan.peers = std::move(head.peers);
  plan.profile = std::move(head.profile);
  plan.free_bytes = options.free_bytes;
  plan.free_notes = options.free_notes;
  return plan;
}

}  // namespace normbench
