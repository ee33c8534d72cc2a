#include "plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "core/characters.h"
#include "plan/buffers.h"
#include "plan/config.h"
#include "plan/experiment.h"
#include "plan/limits.h"
#include "plan/memory.h"

namespace normbench {
namespace {

/// True if an axis is written at `pointer`.
bool is_axis(const Json& config, const std::string& pointer) {
  const Json& value = value_at(config, pointer);
  return value.is_string() && value.get_ref<const std::string&>().starts_with('$');
}

/// Throws all issues, each once: the same mistake may be found at several points of a sweep. Where
/// an axis could not be replaced, only that is reported, and nothing that follows from it.
void throw_if_any(const std::string& file, const Json& config, const std::vector<Issue>& issues) {
  std::vector<Issue> once;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Issue& issue : issues) {
    const std::string text = is_axis(config, issue.pointer) ? "" : issue.text;
    if (seen.emplace(issue.pointer, text).second) once.push_back(issue);
  }
  if (!once.empty()) throw BadInput(file, std::move(once));
}

/// Reports names and texts that would break a table, or do something to a terminal. A peer's
/// command is exempt: it may hold a whole program.
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

/// True if `--only GLOB` selects the case: by its names, its experiment's, or "experiment/variant".
bool matches(const std::string& glob, const Group& group, const Case& one) {
  for (const std::string& name :
       {group.experiment, one.written, one.variant, group.experiment + "/" + one.written,
        group.experiment + "/" + one.variant})
    // Names in a config hold brackets, so a glob that is a name means that name.
    if (glob == name || fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
  return false;
}

/// "place: CPU, 'GPU eager'; dtype: CPU", each name quoted for a shell.
std::string all_variants(const std::vector<Group>& groups) {
  std::vector<std::string> experiments;
  std::set<std::string> seen;
  for (const Group& group : groups) {
    if (!seen.insert(group.experiment).second) continue;
    std::vector<std::string> variants;
    for (const Case& one : group.cases)
      if (std::ranges::find(variants, one.written) == variants.end())
        variants.push_back(one.written);
    for (std::string& variant : variants) variant = shell_word(variant);
    experiments.push_back(
        fmt::format("{}: {}", shell_word(group.experiment), fmt::join(variants, ", ")));
  }
  return fmt::format("{}", fmt::join(experiments, "; "));
}

/// Keeps what the globs of `--only` select. A glob without a match is an issue.
void keep_only(std::vector<Group>& groups, const std::vector<std::string>& globs,
               std::vector<Issue>& issues) {
  if (globs.empty()) return;
  for (const std::string& glob : globs) {
    const auto hit = [&](const Group& group) {
      return std::ranges::any_of(group.cases,
                                 [&](const Case& one) { return matches(glob, group, one); });
    };
    if (std::ranges::none_of(groups, hit))
      issues.push_back({"", fmt::format("--only {}: nothing matches (there are {})",
                                        shell_word(glob), all_variants(groups))});
  }
  for (Group& group : groups) keep_chosen(group, globs);
  std::erase_if(groups, [](const Group& group) { return group.cases.empty(); });
}

/// True if a stage runs on the GPU, or something lies in memory that its driver gives.
bool needs_gpu(const Case& work) {
  const auto lies_there = [](const Value& value) { return cuda_owns(value.desc.memory); };
  return work.uses_gpu() || std::ranges::any_of(work.values, lies_there);
}

/// Readies the GPU for cases that need it; skips them where nothing can run there after all.
void ready_gpu(std::vector<Group>& groups, const Backends& backends) {
  for (Group& group : groups)
    for (Case& work : group.cases) {
      if (work.skip || !needs_gpu(work)) continue;
      work.skip = backends.at(Place::Cuda)->ready();
      if (work.skip) work.skip_kind = Skip::NoGpu;
    }
}

}  // namespace

void keep_chosen(Group& group, const std::vector<std::string>& globs) {
  if (globs.empty()) return;
  const auto wanted = [&](const Case& one) {
    return std::ranges::any_of(globs, [&](const auto& glob) { return matches(glob, group, one); });
  };
  const bool any = std::ranges::any_of(group.cases, wanted);
  std::erase_if(group.cases, [&](const Case& one) {
    return !any || (one.variant != group.baseline && !wanted(one));
  });
  const auto gone = [&](const std::string& variant) {
    return find_case(group, variant) == nullptr;
  };
  std::erase_if(group.published, [&](const Published& one) { return gone(one.variant); });
  std::erase_if(group.claims, [&](const Claim& one) { return gone(one.left) || gone(one.right); });
}

bool Case::uses_gpu() const {
  return (!inputs.empty() && inputs.front().source.memory == Memory::Device) ||
         std::ranges::find(stages, Place::Cuda, &Stage::place) != stages.end();
}

int Case::threads_of(std::size_t stage) const {
  if (!pipeline) return threads;
  const auto lane = std::ranges::find_if(pipeline->lanes, [&](const Lane& one) {
    return std::ranges::find(one.stages, stage) != one.stages.end();
  });
  return lane == pipeline->lanes.end() ? threads : lane->threads;
}

std::int64_t Case::images() const {
  std::int64_t most = values.front().desc.shape.n;
  for (std::size_t i = 1; i < inputs.size(); ++i) most = std::max(most, values[i].desc.shape.n);
  return most;
}

Measure OwnMeasure::over(Measure measure) const {
  measure.precision = precision.value_or(measure.precision);
  measure.max_seconds_per_group = max_seconds_per_group.value_or(measure.max_seconds_per_group);
  measure.cache = cache.value_or(measure.cache);
  return measure;
}

std::int64_t fewest_read_bytes(const Case& work) {
  if (work.inputs.empty()) return work.stages.front().fewest.read_bytes;
  const auto reads = [](const Stage& stage, int value) {
    return std::ranges::find(stage.in, value) != stage.in.end();
  };
  std::int64_t bytes = 0;
  for (int input = 0; input < std::ssize(work.inputs); ++input) {
    const std::int64_t whole = work.values[input].desc.bytes();
    std::int64_t taken = 0;
    for (const Stage& stage : work.stages)
      if (reads(stage, input))
        taken += stage.in.size() > 1 ? whole : stage.fewest.read_bytes + stage.fewest.link_bytes;
    bytes += std::min(whole, taken);
  }
  return bytes > 0 ? bytes : work.values.front().desc.bytes();
}

std::int64_t output_bytes(const Case& work) {
  std::int64_t bytes = 0;
  for (const int value : work.outputs) bytes += work.values[value].desc.bytes();
  return bytes;
}

bool whole_batch(const Case& work) {
  return std::ranges::any_of(work.stages, [](const Stage& stage) { return whole_batch(stage.op); });
}

bool row_wise(const Case& work) {
  const Shape& first = work.values.front().desc.shape;
  return std::ranges::all_of(work.stages, [](const Stage& stage) { return row_wise(stage.op); }) &&
         std::ranges::all_of(work.values, [&](const Value& value) {
           return value.desc.shape.n == first.n && value.desc.shape.h == first.h;
         });
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
  const Json written = plan.config;
  for (const auto& [name, value] : options.set) apply_set(plan.config, name, value, issues);
  const Rest rest = read_head(plan, options, issues);
  PlanContext context{.backends = backends,
                      .options = options,
                      .written = written,
                      .defaults = rest.defaults,
                      .peers = plan.peers,
                      .measure = plan.measure,
                      .issues = issues,
                      .resolved = {}};
  plan.groups = plan_experiments(rest.experiments, context);
  throw_if_any(file, plan.config, issues);
  keep_only(plan.groups, options.only, issues);
  throw_if_any(file, plan.config, issues);
  ready_gpu(plan.groups, backends);
  const Backend* const cuda = backends.at(Place::Cuda);
  const bool near_link = cuda != nullptr && cuda->link_node().has_value();
  for (Group& group : plan.groups) {
    const Cache cache = plan.measure_of(group).cache;
    for (Case& work : group.cases) {
      note_reuse(work, cache);
      if (cache == Cache::Cold) mark_resident(work, options.cache_bytes);
      work.near_link = near_link;
    }
    skip_too_large(group, group.cases, cache, options);
    group.limits = limits_of(group, backends, options.all_threads);
    for (Case& work : group.limits) work.near_link = near_link;
    skip_too_large(group, group.limits, cache, options);
  }
  plan.free_bytes = options.free_bytes;
  plan.free_notes = options.free_notes;
  return plan;
}

}  // namespace normbench
