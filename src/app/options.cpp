#include "app/options.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/issue.h"
#include "machine/environment.h"
#include "machine/process_limits.h"
#include "machine/topology.h"
#include "measure/group_memory.h"
#include "report/torch_table.h"

namespace normbench {

void add_config_options(CLI::App& app, ConfigOptions& options) {
  app.add_option("--images", options.images, "Folder or glob of images for `load` stages")
      ->type_name("DIR");
  app.add_option("--set", options.set, "Change the config: precision=0.02 or /json/pointer=value")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--only", options.only,
                 "Only experiments or variants that match; the baseline is kept")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_flag("--quick", options.quick, "A few rounds only: seconds, with wide intervals");
  app.add_flag("--no-profile", options.no_profile, "No profile pass: no profiler table, no trace");
}

void add_device_option(CLI::App& app, BackendOptions& options) {
  app.add_option("--device", options.device, "The GPU, by its CUDA number (default: 0)")
      ->type_name("N")
      ->check([](const std::string& said) {
        const bool number = said.find_first_not_of("0123456789") == std::string::npos;
        return number ? "" : fmt::format("{} is no device (0 is the first)", said);
      });
}

void add_simd_option(CLI::App& app, BackendOptions& options) {
  app.add_option("--simd", options.simd,
                 "Instruction set of the CPU's kernels, e.g. AVX2 (default: this CPU's best)")
      ->type_name("TARGET");
}

PlanOptions plan_options(const ConfigOptions& options, const std::string& file,
                         const Backends& backends) {
  PlanOptions plan;
  plan.base_dir = std::filesystem::absolute(file).parent_path().string();
  if (!options.images.empty()) plan.images_dir = std::filesystem::absolute(options.images).string();
  for (const std::string& said : options.set) {
    const std::size_t equals = said.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Invalid(fmt::format("--set {}: no value (write --set NAME=VALUE)", said));
    plan.set.emplace_back(said.substr(0, equals), said.substr(equals + 1));
  }
  plan.only = options.only;
  plan.quick = options.quick;
  plan.profile = !options.no_profile;
  plan.allow_peers = options.allow_peers;
  plan.all_threads = available_threads();
  plan.data_caches = data_caches();
  plan.sort_keys = sort_key_names();
  plan.cache_bytes = cold_caches(backends, last_level_cache_bytes());
  const FreeMemory free = free_memory(free_device_bytes(backends), "/");
  plan.free_bytes = free.bytes;
  plan.free_notes = free.notes;
  return plan;
}

Json to_json(const ConfigOptions& options) {
  return {{"images", options.images},
          {"set", options.set},
          {"only", options.only},
          {"quick", options.quick},
          {"no_profile", options.no_profile},
          {"allow_peers", options.allow_peers}};
}

ConfigOptions read_config_options(const Json& json) {
  return {.images = json.at("images"),
          .set = json.at("set"),
          .only = json.at("only"),
          .quick = json.at("quick"),
          .no_profile = json.at("no_profile"),
          .allow_peers = json.value("allow_peers", false)};
}

}  // namespace normbench
