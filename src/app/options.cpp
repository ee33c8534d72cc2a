#include "app/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "core/issue.h"
#include "core/units.h"
#include "machine/environment.h"
#include "machine/process_limits.h"
#include "machine/topology.h"
#include "measure/group_memory.h"
#include "plan/alike.h"
#include "report/torch_table.h"
#include "report/verdict_text.h"

namespace normbench {
namespace {

/// Splits each NAME=VALUE given to an option. Throws Invalid.
Assignments assignments(std::string_view option, std::string_view value,
                        const std::vector<std::string>& given) {
  Assignments split;
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Invalid(fmt::format("{0} {1}: no {2} (write {0} NAME={3})", option, one,
                                equals == 0 ? "name" : "value", value));
    split.emplace_back(one.substr(0, equals), one.substr(equals + 1));
  }
  return split;
}

}  // namespace

std::vector<Option> config_options(ConfigOptions& options) {
  return {{"--images", "DIR", "Folder or glob of images for `load` stages", &options.images,
           "/options/images"},
          {"--set", "NAME=VALUE",
           "Change the config: precision=0.02, normalize.dtype=float16, threads=2 or "
           "/json/pointer=value",
           &options.set, "/options/set"},
          {"--axis", "NAME=VALUES", "Sweep over values: source.batch=1,8,32 or threads=1,2",
           &options.axis, "/options/axis", Option::Newer},
          {"--vary", "NAME=VALUES",
           "Make a case of each value: normalize.dtype=float32,float16 (a JSON list, too)",
           &options.vary, "/options/vary", Option::Newer},
          {"--only", "GLOB", "Only experiments or variants that match; the baseline is kept",
           &options.only, "/options/only"},
          {"--quick", "", "A few rounds only, with wide intervals: seconds where a round is short",
           &options.quick, "/options/quick"},
          {"--fit", "",
           "Where a batch does not fit in memory, take the fewest images that exceed three caches",
           &options.fit, "/options/fit", Option::Newer},
          {"--no-profile", "", "No profile pass: no profiler table, no trace", &options.no_profile,
           "/options/no_profile"}};
}

Option device_option(BackendOptions& options) {
  return {"--device",      "N",       "The GPU, by its CUDA number (default: 0)",
          &options.device, "/device", Option::Newer};
}

Option simd_option(BackendOptions& options) {
  const char* const help =
      "Instruction set of the CPU's kernels, e.g. AVX2 (default: this CPU's best)";
  return {"--simd", "TARGET", help, &options.simd, "/simd", Option::Newer};
}

Option format_option(TextOrJson& format, const std::string& help) {
  return {"--format", "NAME", help, word_of<TextOrJson>(format)};
}

Option quiet_option(bool& quiet) {
  return {"--quiet", "", "No progress and no next step on stderr: only warnings and errors",
          &quiet};
}

Option out_option(std::string& file) {
  return {"--out", "FILE",
          "Write here instead of to stdout (replaces what normbench wrote, nothing else)", &file};
}

Option asker_option(bool& is_asked) {
  const Take end{[&is_asked](const std::string& name, const std::string& given) {
    const std::int64_t asker = read_whole(name, given, 1, std::numeric_limits<pid_t>::max());
    if (!end_with(static_cast<pid_t>(asker), SIGTERM))
      throw std::runtime_error("the process that started this one has ended");
    is_asked = true;
  }};
  return {"--asker", "PID", "", end, "", Option::Once};
}

std::string path_near(const std::string& path, const std::string& folder) {
  const std::filesystem::path near =
      std::filesystem::proximate(path, folder.empty() ? "." : folder);
  return *near.begin() == ".." ? std::filesystem::absolute(path).string() : near.string();
}

std::pair<std::int64_t, std::int64_t> read_size(const std::vector<std::string>& given,
                                                std::int64_t most,
                                                std::vector<std::string>& mistakes) {
  std::vector<std::int64_t> sides;
  const Take take{[&](const std::string& name, const std::string& side) {
    sides.push_back(read_whole(name, side, 1, most));
  }};
  for (const std::string& side : given) noted(take, mistakes)("--size", side);
  return sides.size() == 2 ? std::pair(sides[0], sides[1])
                           : std::pair<std::int64_t, std::int64_t>(1, 1);
}

PlanOptions changes_of(const ConfigOptions& options) {
  PlanOptions plan;
  plan.set = assignments("--set", "VALUE", options.set);
  plan.axis = assignments("--axis", "VALUES", options.axis);
  plan.vary = assignments("--vary", "VALUES", options.vary);
  return plan;
}

PlanOptions plan_options(const ConfigOptions& options, const std::string& file,
                         const Backends& backends) {
  PlanOptions plan = changes_of(options);
  plan.base_dir = std::filesystem::absolute(file).parent_path().string();
  if (!options.images.empty()) plan.images_dir = std::filesystem::absolute(options.images).string();
  plan.only = options.only;
  plan.quick = options.quick;
  plan.profile = !options.no_profile;
  plan.allow_peers = options.allow_peers;
  plan.fit = options.fit;
  plan.all_threads = available_threads();
  plan.data_caches = data_caches();
  plan.sort_keys = sort_key_spellings();
  plan.cache_bytes = cold_caches(backends, last_level_cache_bytes());
  const FreeMemory free = free_memory(free_device_bytes(backends), "/");
  plan.free_bytes = free.bytes;
  plan.free_notes = free.notes;
  return plan;
}

void tell_memory(const Plan& plan, const ConfigOptions& options) {
  const bool any_lacks = std::ranges::any_of(plan.groups, [](const Group& group) {
    return std::ranges::any_of(
        group.cases, [](const Case& planned) { return planned.skip_kind == Skip::NoMemory; });
  });
  if (any_lacks && !options.fit)
    tell("normbench: {}: a batch does not fit in memory; --fit takes fewer images there\n",
         plan.name);
}

void tell_unlike(const Plan& plan) {
  std::set<std::string> told;
  for (const Group& group : plan.groups) {
    std::vector<std::vector<TensorDesc>> outputs;
    for (const Case& planned : group.cases) {
      std::vector<TensorDesc>& ends = outputs.emplace_back();
      if (planned.skip) continue;
      for (const int i : planned.outputs) ends.push_back(planned.values[i].desc);
    }
    const std::optional<Unlike> unlike = first_unlike(outputs, group.may_differ);
    if (!unlike || !told.insert(group.experiment).second) continue;
    const auto end = [&](int i) { return NamedOutput{group.cases[i].variant, outputs[i].front()}; };
    tell("normbench: {}: {}: {}\n", plan.name, group.experiment,
         unlike_text(end(unlike->a), end(unlike->b), unlike->differences));
  }
}

void tell_dropped(const Plan& plan) {
  for (const ConfigChange& change : plan.changes)
    if (change.dropped > 0)
      tell("normbench: {}: {}: leaves out {} that name what is gone (claims, figures, baselines)\n",
           plan.name, change.option, counted(change.dropped, "member"));
}

void tell_crowded(const Plan& plan) {
  int most = 0;
  for (const Group& group : plan.groups)
    for (const Case& planned : group.cases)
      most = std::max(most, planned.skip ? 0 : planned.threads);
  const int here = available_threads();
  if (most > here)
    tell("normbench: {}: {} threads take turns on {} CPU{} (\"threads\": \"all\" takes {})\n",
         plan.name, most, here, here == 1 ? "" : "s", here);
}

}  // namespace normbench
