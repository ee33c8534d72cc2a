/// Options of a run: from the command line, and from the top level of a config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/enums.h"
#include "machine/process_limits.h"

namespace normbench {

/// The options `measure` of a config. `precision` is a relative half-width (0.01: 1 %). The
/// measuring of a group ends when no ratio (the time of a case over the time of the baseline) has a
/// wider confidence interval.
struct Measure {
  double precision = 0.01;
  double max_seconds_per_group = 5;
  Cache cache = Cache::Cold;
  DecidingClock clock = DecidingClock::Wall;
  std::int64_t seed = 1;
  std::int64_t processes = 1;
  double turn_timeout_seconds = 60;
  // The least number of calls of each case that are checked, including the first and the last.
  std::int64_t checked_calls = 8;
  bool quick = false;  // --quick: fewer rounds; reports say so
};

/// The options of `measure` that an experiment sets for itself. An empty option is not set.
struct OwnMeasure {
  std::optional<double> precision = {}, max_seconds_per_group = {};
  std::optional<Cache> cache = {};

  /// Returns `measure`, with its options replaced by those that are set here.
  Measure over(Measure measure) const {
    measure.precision = precision.value_or(measure.precision);
    measure.max_seconds_per_group = max_seconds_per_group.value_or(measure.max_seconds_per_group);
    measure.cache = cache.value_or(measure.cache);
    return measure;
  }
};

/// The options `profile` of a config, which are those of torch.profiler's schedule and tables.
struct ProfileOptions {
  std::int64_t skip_first = 0, wait = 1, warmup = 1, active = 10;
  std::int64_t repeat = 1;           // number of cycles; 0: endless in torch.profiler, one here
  std::int64_t skip_first_wait = 0;  // if it is not 0, the first cycle has no `wait`
  std::string sort_by = "cpu_time_total";
  std::int64_t row_limit = 10;
  bool group_by_input_shape = false;
  bool enabled = true;  // false with --no-profile
};

/// How a peer (a program that runs cases with another library) is started: the program, searched
/// for in $PATH, and its arguments.
struct PeerCommand {
  std::vector<std::string> argv;
  std::string directory;  // the folder of the config, in which the program starts
};

/// Pairs of NAME and VALUE from NAME=VALUE.
using Assignments = std::vector<std::pair<std::string, std::string>>;

/// What the planner needs besides a config: options of the command line, and facts about the
/// machine.
struct PlanOptions {
  std::string base_dir;                   // relative paths start here
  std::optional<std::string> images_dir;  // --images
  Assignments set, axis, vary;            // --set, --axis and --vary
  std::vector<std::string> only;          // --only globs over experiments/variants
  bool quick = false;
  bool profile = true;
  bool allow_peers = false;  // commands of the config may be run
  bool fit = false;          // --fit: fewer images if a group does not fit in memory
  int all_threads = 1;       // number of threads that "threads": "all" means for large work
  std::vector<std::int64_t> data_caches = {};  // bytes of each data cache of a core, nearest first
  std::vector<std::string> sort_keys = {};     // allowed values of `profile.sort_by`; empty: any
  // The size in bytes of the last-level cache of the host and of the device.
  Sides cache_bytes = {.host = 32 << 20, .device = 32 << 20};
  Sides free_bytes = {};      // memory that this process can get on each side; 0: unknown
  SideNotes free_notes = {};  // for messages: what limits that memory
};

}  // namespace normbench
