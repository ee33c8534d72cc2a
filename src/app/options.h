/// Options that several subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "core/json.h"
#include "plan/plan.h"

namespace normbench {

/// As said on the command line.
struct ConfigOptions {
  std::string images;
  std::vector<std::string> set, only;
  bool quick = false;
  bool no_profile = false;
  bool allow_peers = false;
};

void add_config_options(CLI::App& app, ConfigOptions& options);

/// --device N: which of the CUDA devices that this process sees.
void add_device_option(CLI::App& app, BackendOptions& options);

/// --simd TARGET: the instruction set of the CPU's kernels.
void add_simd_option(CLI::App& app, BackendOptions& options);

/// What they, and this machine, mean for the config in `file`, whose folder relative paths start
/// from. Throws Invalid.
PlanOptions plan_options(const ConfigOptions& options, const std::string& file,
                         const Backends& backends);

/// To and from the header of a journal.
Json to_json(const ConfigOptions& options);
ConfigOptions read_config_options(const Json& json);

}  // namespace normbench
