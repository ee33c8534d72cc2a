#include "app/planned_configs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/commands.h"
#include "app/options.h"
#include "app/process.h"
#include "core/system_error.h"
#include "core/units.h"
#include "plan/memory.h"
#include "report/words.h"

namespace normbench {
namespace fs = std::filesystem;

std::optional<std::string> own_configs() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  // These paths are relative to the program's folder. In this order, they are for a program in:
  // - bin/ of an environment into which a wheel was installed;
  // - lib/normbench/ of a package, beside its libraries;
  // - scripts/ of an unpacked wheel to which an environment has links;
  // - a build folder, such as build/release/.
  for (const char* const place : {"../share/normbench/configs", "../../share/normbench/configs",
                                  "../data/share/normbench/configs", "../../configs"})
    if (fs::is_directory(here / place)) return fs::weakly_canonical(here / place).string();
  return std::nullopt;
}

std::string configs_folder(const std::string& given) {
  if (!given.empty()) return fs::absolute(given).string();
  if (const auto own = own_configs()) return *own;
  throw Invalid("no configs beside this program (name their folder: --configs DIR)");
}

/// Returns true if the file name is that of a config. The schema that `init` writes beside a config
/// and the request that `reproduce` keeps are no configs.
bool is_config_name(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.ends_with(".schema.json") || name == "reproduce.json") return false;
  return path.extension() == ".json" || path.extension() == ".jsonc";
}

std::vector<std::string> config_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_config_name(entry.path()) && fs::is_regular_file(entry.path()))
      files.push_back(entry.path().string());
  if (error || files.empty())
    throw Invalid(fmt::format("--configs {}: {}", shell_word(folder),
                              error ? system_error_text(error) : "holds no configs"));
  std::ranges::sort(files);
  return files;
}

namespace {

/// Returns the file in `folder` called `name`, `name`.json or `name`.jsonc, the first that exists.
std::optional<std::string> file_named(const fs::path& folder, const std::string& name) {
  std::error_code error;
  for (const char* const suffix : {"", ".json", ".jsonc"}) {
    const fs::path path = folder / (name + suffix);
    if (fs::exists(path, error) && !fs::is_directory(path, error)) return path.string();
  }
  return std::nullopt;
}

/// Returns the path by which find_configs() replaces `name`, or `name` itself if it stays.
std::string found_config(const std::string& name) {
  if (name.empty() || name == "-" || name.find('/') != std::string::npos) return name;
  const std::optional<std::string> folder = own_configs();
  const std::optional<std::string> own = folder ? file_named(*folder, name) : std::nullopt;
  const std::optional<std::string> here = file_named("", name);
  if (here && own && fs::path(name).extension().empty())
    tell("normbench: \"{}\" is {} of this folder, not normbench's own config of that name\n", name,
         *here);
  return here ? *here : own.value_or(name);
}

}  // namespace

void find_configs(std::vector<std::string>& names) {
  for (std::string& name : names) name = found_config(name);
}

std::vector<Plan> plan_all(const std::string& folder, bool quick, const Backends& backends) {
  std::vector<Plan> plans;
  ConfigOptions how;
  how.quick = quick;
  how.allow_peers = true;  // nothing is run, so peers do no harm
  const std::vector<std::string> files = config_files(folder);
  each_file(files, [&](const std::string& file) {
    plans.push_back(make_plan(file, backends, plan_options(how, file, backends)));
  });
  return plans;
}

void Needs::add(const Plan& plan, const Group& group, const Sides& cache_bytes) {
  const Measure measure = plan.measure_of(group);
  seconds += measure.max_seconds_per_group;
  for (const Case& one : group.cases) {
    gpu = gpu || one.uses_gpu();
    if (!one.peer.empty()) peers.insert(one.peer);
  }
  const Sides its = memory_bytes(group, measure, cache_bytes);
  bytes = {.host = std::max(bytes.host, its.host), .device = std::max(bytes.device, its.device)};
}

std::string Needs::text() const {
  std::vector<std::string> list;
  if (gpu)
    list.push_back(bytes.device > 0 ? fmt::format("GPU ({})", format_bytes(bytes.device)) : "GPU");
  if (!peers.empty()) list.push_back(counted(std::ssize(peers), "peer"));
  if (bytes.host > 0) list.push_back(format_bytes(bytes.host));
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string Needs::time_text() const {
  return seconds > 0 ? fmt::format("budget {:.0f} s", seconds) : "";
}

}  // namespace normbench
