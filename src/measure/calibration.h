/// Measures pairs of variants whose true ratio is known, from which `normbench calibrate` learns.
#pragma once

#include "core/enums.h"
#include "measure/run_context.h"

namespace normbench {

/// Returns the config whose groups are pairs: Identical and Slowed for cold caches, Cached for hot
/// ones.
std::string calibration_config(Cache cache);
constexpr Cache cache_of(PairKind kind) {
  return kind == PairKind::Cached ? Cache::Hot : Cache::Cold;
}

/// Returns the index of the group of this kind in the plan of its config. Throws Invalid if there
/// is none.
std::size_t group_of(const Plan& plan, PairKind kind);

struct CalibrationStudy {
  Plan cold, hot;            // plans of calibration_config()
  double max_seconds = 180;  // no cycle begins after this time; the first one always does
  int pairs = 0;             // how many of each kind; 0: as many as the time allows
  std::int64_t seed = 1;
  /// Measures a pair in a fresh process. Returns nothing when interrupted.
  std::function<std::optional<GroupResult>(PairKind, std::int64_t seed)> fresh_process;
  std::function<void(const MeasuredPair&)> on_pair;
};

/// Measures cycles of one pair of each kind. Each group has its own seed, and rounds as in a run,
/// but no limits. Pairs for the same cache share one memory, since filling memory takes longer than
/// measuring a large pair; each turn places its buffers there anew. After each cycle one identical
/// pair is measured in a fresh process, at most 40 in all: a large and a cache-sized pair in
/// alternation. Returns false when interrupted.
bool calibrate(CalibrationStudy& study, RunContext& context);

}  // namespace normbench
