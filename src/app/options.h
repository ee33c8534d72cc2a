/// Options that several subcommands share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "backend/backend.h"
#include "plan/plan.h"

namespace normbench {

/// How a config is changed and planned.
struct ConfigOptions {
  std::string images;
  std::vector<std::string> set, only;
  bool quick = false;
  bool no_profile = false;
  bool allow_peers = false;
  bool fit = false;
};

/// Rows of all of them but --allow-peers.
std::vector<Option> config_options(ConfigOptions& options);

/// --device N: which of the CUDA devices that this process sees.
Option device_option(BackendOptions& options);

/// --simd TARGET: the instruction set of the CPU's kernels.
Option simd_option(BackendOptions& options);

/// --format: text, or json as `help` says.
Option format_option(TextOrJson& format, const std::string& help);

/// --quiet: nothing on stderr but warnings and errors.
Option quiet_option(bool& quiet);

/// --out FILE: where the text goes instead of to stdout.
Option out_option(std::string& file);

/// The path as written from `folder` where it lies below it, else absolute.
std::string path_near(const std::string& path, const std::string& folder);

/// What was given to --size, two whole numbers from 1; 1 and 1 where they are wrong.
std::pair<std::int64_t, std::int64_t> read_size(const std::vector<std::string>& given,
                                                std::int64_t most,
                                                std::vector<std::string>& mistakes);

/// What they, and this machine, mean for the config in `file`, whose folder relative paths start
/// from. Throws Invalid.
PlanOptions plan_options(const ConfigOptions& options, const std::string& file,
                         const Backends& backends);

/// Says what would help where a case does not fit in memory.
void tell_memory(const Plan& plan, const ConfigOptions& options);

/// Says it where a case has more threads than this process may use CPUs: they are what was written.
void tell_crowded(const Plan& plan);

}  // namespace normbench
