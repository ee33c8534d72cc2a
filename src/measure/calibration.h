/// Measures pairs of variants whose true ratio is known. `normbench calibrate` compares the
/// measured ratios with the true ones.
#pragma once

#include "core/enums.h"
#include "measure/run_context.h"

namespace normbench {

/// Returns the text of a config in which each group is a pair of variants (PairKind). If `cache` is
/// Cold, there are an Identical and a Slowed pair. If it is Hot, there is only a Cached pair.
std::string calibration_config(Cache cache);
constexpr Cache cache_of(PairKind kind) {
  return kind == PairKind::Cached ? Cache::Hot : Cache::Cold;
}

/// Returns the index of the group that is a pair of this kind. `plan` is the plan of
/// calibration_config(). Throws Invalid if the plan has no such group.
std::size_t group_of(const Plan& plan, PairKind kind);

/// The settings and callbacks of calibrate(). A cycle measures one pair of each PairKind.
struct CalibrationStudy {
  Plan cold, hot;            // plans of the two configs of calibration_config()
  double max_seconds = 180;  // no cycle starts after this time; ignored if `pairs` > 0
  int pairs = 0;             // number of cycles; 0: as many as `max_seconds` allows
  std::int64_t seed = 1;
  /// Measures a pair in a new process. Returns std::nullopt when interrupted.
  std::function<std::optional<GroupResult>(PairKind, std::int64_t seed)> fresh_process;
  std::function<void(const MeasuredPair&)> on_pair;
};

/// Runs cycles, each of which measures one pair of each kind.
/// - A pair is measured in rounds like a group of a run, but the limits of the machine are not
///   measured. Each pair has its own seed.
/// - All pairs with cold caches share one allocation, and all pairs with hot caches another,
///   because filling memory takes longer than measuring a pair.
/// - After each of the first 40 cycles, one more pair is measured in a fresh process. It is an
///   Identical pair after the first cycle, a Cached pair after the second, and so on alternately.
/// Returns false when interrupted.
bool calibrate(CalibrationStudy& study, RunContext& context);

}  // namespace normbench
