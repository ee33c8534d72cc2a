/// What a config says beside its experiments, and what is said on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/enums.h"
#include "machine/process_limits.h"

namespace normbench {

/// `measure` of a config. Times in seconds, precision as a relative half-width.
struct Measure {
  double precision = 0.01;
  double max_seconds_per_group = 5;
  Cache cache = Cache::Cold;
  DecidingClock clock = DecidingClock::Wall;
  std::int64_t seed = 1;
  std::int64_t processes = 1;
  double turn_timeout_seconds = 60;
  std::int64_t checked_calls = 8;  // of each case, at least; the first and last are among them
  bool quick = false;              // --quick: fewer rounds, said in the output
};

/// The measure options that an experiment sets itself, instead of the config's.
struct OwnMeasure {
  std::optional<double> precision = {}, max_seconds_per_group = {};
  std::optional<Cache> cache = {};

  /// `measure`, with the options that are set here in their place.
  Measure over(Measure measure) const {
    measure.precision = precision.value_or(measure.precision);
    measure.max_seconds_per_group = max_seconds_per_group.value_or(measure.max_seconds_per_group);
    measure.cache = cache.value_or(measure.cache);
    return measure;
  }
};

/// `profile` of a config: torch.profiler's schedule and table options.
struct ProfileOptions {
  std::int64_t skip_first = 0, wait = 1, warmup = 1, active = 10;
  std::int64_t repeat = 1;           // 0: forever, which for a case is once
  std::int64_t skip_first_wait = 0;  // other than 0: the first cycle has no `wait`
  std::string sort_by = "cpu_time_total";
  std::int64_t row_limit = 10;
  bool group_by_input_shape = false;
  bool enabled = true;  // --no-profile
};

/// How a peer is started: the program (looked up in PATH), its arguments, and where.
struct PeerCommand {
  std::vector<std::string> argv;
  std::string directory;  // the config's: relative paths in the command start there
};

/// Options from the command line and facts of the machine, which are added to a config.
struct PlanOptions {
  std::string base_dir;                                  // relative paths start here
  std::optional<std::string> images_dir;                 // --images
  std::vector<std::pair<std::string, std::string>> set;  // --set name=value or /pointer=value
  std::vector<std::string> only;                         // --only globs over experiments/variants
  bool quick = false;
  bool profile = true;
  bool allow_peers = false;  // --allow-peers: commands of the config may be run
  bool fit = false;          // --fit: fewer images where a group does not fit in memory
  int all_threads = 1;       // what this process may use: `"threads": "all"` is that or 1
  std::vector<std::int64_t> data_caches = {};  // of a core, nearest first: for decisions
  std::vector<std::string> sort_keys = {};     // what `profile.sort_by` may name; empty: anything
  Sides cache_bytes = {.host = 32 << 20, .device = 32 << 20};  // the last caches before each memory
  Sides free_bytes = {};      // memory that this process can have on each side; 0: unknown
  SideNotes free_notes = {};  // what limits it
};

}  // namespace normbench
