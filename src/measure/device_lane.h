/// What a device did in profiled steps, on the host's clock.
#pragma once

#include <cstdint>
#include <optional>

#include "measure/anchor.h"
#include "measure/contender.h"
#include "measure/stage_times.h"
#include "record/recorder.h"

namespace normbench {

/// Number of the lane in traces, above any thread's: Linux has none over 2^22.
inline constexpr std::int64_t device_lane_id = (1 << 22) + 1;

/// Marks around the work of each stage, tied to the host's clock anew before every step, for the
/// two clocks drift apart.
class DeviceLane {
 public:
  /// The contender has a device.
  DeviceLane(Contender& contender, Clock& clock) : contender_(contender), clock_(clock) {}

  /// Call when drained; what is returned takes the step's times.
  StageTimes* begin_step();
  /// Adds the step's slices. Call when it is drained.
  void keep_step();

  /// The slices so far as those of a thread, and how far off they may be.
  ThreadLog take() { return std::move(log_); }
  std::int64_t clock_error_ns() const { return clock_error_ns_; }

 private:
  Contender& contender_;
  Clock& clock_;
  Anchor anchor_;
  std::optional<StageTimes> times_;
  ThreadLog log_{.tid = device_lane_id, .name = "CUDA stream, times from events", .slices = {}};
  std::int64_t clock_error_ns_ = 0;
};

}  // namespace normbench
