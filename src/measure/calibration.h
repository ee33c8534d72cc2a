/// Measures pairs whose answer is known, from which `normbench calibrate` learns.
#pragma once

#include "core/enums.h"
#include "measure/runner.h"

namespace normbench {

/// The config whose groups are pairs: Identical and Slowed for cold caches, Cached for hot ones.
std::string calibration_config(Cache cache);
constexpr Cache cache_of(PairKind kind) {
  return kind == PairKind::Cached ? Cache::Hot : Cache::Cold;
}

/// Index of the group of this kind in the plan made of its config. Throws Invalid without one.
std::size_t group_of(const Plan& plan, PairKind kind);

struct CalibrationStudy {
  Plan cold, hot;            // of calibration_config()
  double max_seconds = 180;  // no cycle begins later; the first one always does
  int pairs = 0;             // of each kind; 0: as many as the time allows
  std::int64_t seed = 1;
  /// Measures a pair in a fresh process; nothing when interrupted.
  std::function<std::optional<GroupResult>(PairKind, std::int64_t seed)> fresh_process;
  std::function<void(const MeasuredPair&)> on_pair;
};

/// Measures cycles of one pair of each kind, each group with its own seed, its rounds as in a run
/// but without limits. The large ones share one memory, since filling it would take longer than
/// they do; each turn is placed in it anew. After each cycle an identical pair, large and
/// cache-sized in turn, is measured in a fresh process, 40 at most. False when interrupted.
bool calibrate(CalibrationStudy& study, RunContext& context);

}  // namespace normbench
