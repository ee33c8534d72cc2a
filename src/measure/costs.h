/// The costs of measuring itself.
#pragma once

#include <cstdint>

#include "core/json.h"
#include "record/clock.h"

namespace normbench {

/// The time of one call of each kind in ns, with the tools that are attached now. Values are
/// medians over many loops of calls, unless stated otherwise.
struct MeasuringCosts {
  double clock_ns = 0;             // a reading of the clock; the least of several measurements
  std::int64_t clock_step_ns = 0;  // the smallest step of the clock that was seen
  double range_recorded_ns = 0;    // a range while the recorder is on, with its NVTX range
  double range_ns = 0;             // a range while the recorder is off
  double nvtx_ns = 0;              // an NVTX range alone; without a tool, only NVTX's check for one

  bool operator==(const MeasuringCosts&) const = default;
};

/// Measures all costs; takes a few milliseconds.
MeasuringCosts measuring_costs(Clock& clock);

Json to_json(const MeasuringCosts& costs);

}  // namespace normbench
