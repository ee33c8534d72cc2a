/// Measures pairs of variants whose true ratio is known, from which `normbench calibrate` learns.
#pragma once

#include "core/enums.h"
#include "measure/run_context.h"

namespace normbench {

/// Returns the text of a config whose groups are pairs of variants: Identical and Slowed pairs if
/// `cache` is Cold, Cached pairs if it is Hot.
std::string calibration_config(Cache cache);
constexpr Cache cache_of(PairKind kind) {
  return kind == PairKind::Cached ? Cache::Hot : Cache::Cold;
}

/// Returns the index of the group with pairs of this kind. `plan` is the plan of
/// calibration_config(). Throws Invalid if the plan has no such group.
std::size_t group_of(const Plan& plan, PairKind kind);

struct CalibrationStudy {
  Plan cold, hot;            // plans of calibration_config()
  double max_seconds = 180;  // no second or later cycle begins after this time
  int pairs = 0;             // how many of each kind; 0: as many as the time allows
  std::int64_t seed = 1;
  /// Measures a pair in a fresh process. Returns nothing when interrupted.
  std::function<std::optional<GroupResult>(PairKind, std::int64_t seed)> fresh_process;
  std::function<void(const MeasuredPair&)> on_pair;
};

/// Measures one pair of each kind in every cycle. A pair is measured in rounds like a group of a
/// run, but without limits, and with a seed of its own. All pairs with cold caches share one
/// allocation, and all pairs with hot caches another, because filling memory takes longer than
/// measuring a pair. After each of the first 40 cycles, one more pair is measured in a fresh
/// process: an Identical pair after the first cycle, a Cached pair after the second, and so on in
/// turn. Returns false when interrupted.
bool calibrate(CalibrationStudy& study, RunContext& context);

}  // namespace normbench
