#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/characters.h"
#include "plan/buffers.h"
#include "plan/changes.h"
#include "plan/config.h"
#include "plan/experiment.h"
#include "plan/fit.h"
#include "plan/limits.h"
#include "plan/only.h"

namespace normbench {
namespace {

/// Returns true if the value at `pointer` is a string such as "$axis".
bool is_axis(const Json& config, const std::string& pointer) {
  const Json& value = value_at(config, pointer);
  return value.is_string() && value.get_ref<const std::string&>().starts_with('$');
}

/// For each issue in a value that an option of the command line wrote, puts the option before the
/// text of the issue, and removes its pointer.
void blame_options(std::vector<Issue>& issues, const std::vector<ConfigChange>& changes) {
  for (Issue& issue : issues)
    for (const ConfigChange& change : changes) {
      const auto is_here = [&](const std::string& pointer) {
        return issue.pointer == pointer || issue.pointer.starts_with(pointer + "/");
      };
      if (std::ranges::any_of(change.pointers, is_here)) {
        issue = {"", fmt::format("{}: {}", change.option, issue.text)};
        break;
      }
    }
}

/// Throws BadInput with all issues, if there are any. A mistake that is found at several points of
/// a sweep is reported once. If a value "$axis" could not be replaced, only the first mistake at
/// this value is reported, because the others follow from it.
void throw_if_any(const std::string& file, const Json& config, const std::vector<Issue>& issues) {
  std::vector<Issue> once;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Issue& issue : issues) {
    const std::string text = is_axis(config, issue.pointer) ? "" : issue.text;
    if (seen.emplace(issue.pointer, text).second) once.push_back(issue);
  }
  if (!once.empty()) throw BadInput(file, std::move(once));
}

/// Reports names and texts with control characters, which would break a table or change a terminal.
/// Does not check "peers", whose commands may contain a whole program.
void check_controls(const Json& json, const std::string& pointer, std::vector<Issue>& issues) {
  if (json.is_string() && has_control(json.get_ref<const std::string&>()))
    issues.push_back({pointer, "holds a control character (a line break, an escape, …)"});
  if (json.is_array())
    for (std::size_t i = 0; i < json.size(); ++i)
      check_controls(json[i], fmt::format("{}/{}", pointer, i), issues);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    if (has_control(key)) issues.push_back({pointer, "has a name with a control character"});
    if (const std::string at = pointer + "/" + pointer_token(key); at != "/peers")
      check_controls(value, at, issues);
  }
}

Json parse(const std::string& file, std::string_view text, std::vector<Issue>& issues) {
  try {
    Json config = parse_json(text, issues);
    if (config.contains("groups") && config.contains("tool"))
      throw Invalid("is a results document, no config (show it: normbench report FILE)");
    check_controls(config, "", issues);
    return config;
  } catch (const Invalid& mistake) {
    throw BadInput(file, {{"", mistake.what()}});
  }
}

/// Plans the groups of every experiment. Reports experiments with the same name.
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

/// Returns true if a stage runs on the GPU, or a value is in memory that CUDA allocates.
bool needs_gpu(const Case& planned) {
  const auto lies_there = [](const Value& value) { return cuda_owns(value.desc.memory); };
  return planned.uses_gpu() || std::ranges::any_of(planned.values, lies_there);
}

/// Initialises the GPU if cases need it. If that fails, skips those cases with the reason.
void ready_gpu(std::vector<Group>& groups, const Backends& backends) {
  for (Group& group : groups)
    for (Case& planned : group.cases) {
      if (planned.skip || !needs_gpu(planned)) continue;
      planned.skip = backends.at(Place::Cuda)->ready();
      if (planned.skip) planned.skip_kind = Skip::NoGpu;
    }
}

}  // namespace

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
  const Json written = plan.config;
  plan.changes = apply_changes(plan.config, options, issues);
  Head head = read_head(plan.config, options, issues);
  plan.name = std::move(head.name);
  plan.about = std::move(head.about);
  plan.measure = head.measure;
  plan.profile = std::move(head.profile);
  plan.peers = std::move(head.peers);
  PlanContext context{.backends = backends,
                      .options = options,
                      .written = written,
                      .config = plan.config,
                      .defaults = head.defaults,
                      .peers = plan.peers,
                      .measure = plan.measure,
                      .issues = issues,
                      .resolved = {}};
  plan.groups = plan_experiments(head.experiments, context);
  blame_options(issues, plan.changes);
  throw_if_any(file, plan.config, issues);
  keep_only(plan.groups, options.only, issues);
  throw_if_any(file, plan.config, issues);
  ready_gpu(plan.groups, backends);
  const Backend* const cuda = backends.at(Place::Cuda);
  const bool near_link = cuda != nullptr && cuda->link_node().has_value();
  for (Group& group : plan.groups) {
    const Cache cache = plan.measure_of(group).cache;
    for (Case& planned : group.cases) {
      note_reuse(planned, cache);
      if (cache == Cache::Cold) mark_resident(planned, options.cache_bytes);
      planned.near_link = near_link;
    }
    skip_too_large(group, group.cases, cache, options);
    group.limits = limits_of(group, backends, options.all_threads);
    for (Case& planned : group.limits) planned.near_link = near_link;
    skip_too_large(group, group.limits, cache, options);
  }
  plan.free_bytes = options.free_bytes;
  plan.free_notes = options.free_notes;
  return plan;
}

}  // namespace normbench
