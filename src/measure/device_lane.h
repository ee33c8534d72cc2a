/// What a device did in profiled steps, on the host's clock, where no tracer tells it.
#pragma once

#include <cstdint>
#include <optional>

#include "measure/anchor.h"
#include "measure/contender.h"
#include "measure/stage_times.h"
#include "record/device_trace.h"

namespace normbench {

/// Marks around the work of each stage, tied to the host's clock anew before every step, for the
/// two clocks drift apart.
class DeviceLane {
 public:
  /// The contender has a device, the number of which is `device`.
  DeviceLane(Contender& contender, Clock& clock, int device)
      : contender_(contender), clock_(clock), device_(device) {}

  /// Call when drained; what is returned takes the step's times.
  StageTimes* begin_step();
  /// Adds the step's records. Call when it is drained.
  void keep_step();

  /// Those of the steps kept since the last call.
  DeviceTrace take();

 private:
  bool is_over_link(const StageRun& run) const;

  Contender& contender_;
  Clock& clock_;
  int device_;
  Anchor anchor_;
  std::optional<StageTimes> times_;
  DeviceTrace trace_;
};

}  // namespace normbench
