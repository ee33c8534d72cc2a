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

/// Options for how a config is changed and planned.
struct ConfigOptions {
  std::string images;
  std::vector<std::string> set, only;
  bool quick = false;
  bool no_profile = false;
  bool allow_peers = false;
  bool fit = false;
};

/// Rows of these options, without --allow-peers.
std::vector<Option> config_options(ConfigOptions& options);

/// --device N: the number of a CUDA device that this process sees.
Option device_option(BackendOptions& options);

/// --simd TARGET: the instruction set of CPU kernels.
Option simd_option(BackendOptions& options);

/// --format: text or json; `help` says what json gives.
Option format_option(TextOrJson& format, const std::string& help);

/// --quiet: only warnings and errors on stderr.
Option quiet_option(bool& quiet);

/// --out FILE: the file that the text goes to instead of stdout.
Option out_option(std::string& file);

/// --asker PID: this process gets SIGTERM when that one ends, which started it. Not in --help.
Option asker_option();

/// The path relative to `folder` if it lies below it, else absolute.
std::string path_near(const std::string& path, const std::string& folder);

/// The values given to --size, two whole numbers from 1; 1 and 1 where they are wrong.
std::pair<std::int64_t, std::int64_t> read_size(const std::vector<std::string>& given,
                                                std::int64_t most,
                                                std::vector<std::string>& mistakes);

/// The options for planning the config in `file`, in whose folder relative paths start, on this
/// machine. Throws Invalid.
PlanOptions plan_options(const ConfigOptions& options, const std::string& file,
                         const Backends& backends);

/// Says what would help if a case does not fit in memory.
void tell_memory(const Plan& plan, const ConfigOptions& options);

/// Says if a case has more threads than this process may use CPUs. It runs with them as written.
void tell_crowded(const Plan& plan);

}  // namespace normbench
