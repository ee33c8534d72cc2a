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

/// Options that change a config or its plan.
struct ConfigOptions {
  std::string images;
  std::vector<std::string> set, axis, vary, only;
  bool quick = false;
  bool no_profile = false;
  bool allow_peers = false;
  bool fit = false;
};

/// Returns an option for each member of `options` except `allow_peers`.
std::vector<Option> config_options(ConfigOptions& options);

/// Returns the option --device N: the number of a CUDA device that this process sees.
Option device_option(BackendOptions& options);

/// Returns the option --simd TARGET: the instruction set of CPU kernels.
Option simd_option(BackendOptions& options);

/// Returns the option --format, text or json. `help` is its explanation in --help.
Option format_option(TextOrJson& format, const std::string& help);

/// Returns the option --quiet: only warnings and errors on stderr.
Option quiet_option(bool& quiet);

/// Returns the option --out FILE. The text is written to FILE instead of stdout.
Option out_option(std::string& file);

/// Returns the option --asker PID, which --help does not show. PID is the process that started this
/// one; this process gets SIGTERM when PID ends.
Option asker_option(bool& is_asked);

/// Returns `path` relative to `folder` if it lies in that folder, else as an absolute path.
std::string path_near(const std::string& path, const std::string& folder);

/// Returns the two values given to --size, whole numbers from 1 to `most`. If a value is wrong,
/// adds a mistake for it to `mistakes`, and returns 1 and 1.
std::pair<std::int64_t, std::int64_t> read_size(const std::vector<std::string>& given,
                                                std::int64_t most,
                                                std::vector<std::string>& mistakes);

/// Returns --set, --axis and --vary, split into names and values. Throws Invalid.
PlanOptions changes_of(const ConfigOptions& options);

/// Returns the options for planning the config in `file` on this machine. Relative paths start in
/// the folder of `file`. Throws Invalid.
PlanOptions plan_options(const ConfigOptions& options, const std::string& file,
                         const Backends& backends);

/// Suggests --fit if a case does not fit in memory and --fit is not given.
void tell_memory(const Plan& plan, const ConfigOptions& options);

/// Tells which experiments will have no winner, because the outputs of their variants differ in
/// dtype, layout, shape or place (host or GPU).
void tell_unlike(const Plan& plan);

/// Tells which options removed claims, published figures or baselines of the config.
void tell_dropped(const Plan& plan);

/// Warns if a case has more threads than there are CPUs for this process. The case keeps its
/// threads.
void tell_crowded(const Plan& plan);

}  // namespace normbench
