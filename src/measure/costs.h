/// Measures how long the measuring itself takes: one reading of the clock, one range of the
/// recorder, and one NVTX range.
#pragma once

#include <cstdint>

#include "core/json.h"
#include "record/clock.h"

namespace normbench {

/// How long one reading of the clock and one range take, in ns, while the present profiling tools
/// are attached. A value is the median over many loops of the mean time per call, unless its
/// comment states something else.
struct MeasuringCosts {
  double clock_ns = 0;             // one reading of the clock: the least of several measurements
  std::int64_t clock_step_ns = 0;  // the smallest difference between two readings; above 0
  double range_recorded_ns = 0;    // a range while the recorder is on, with its NVTX range
  double range_ns = 0;             // a range while the recorder is off
  // An NVTX range alone. If no tool is attached, it only tests whether a tool is attached.
  double nvtx_ns = 0;

  bool operator==(const MeasuringCosts&) const = default;
};

/// Measures all costs; takes a few milliseconds.
MeasuringCosts measuring_costs(Clock& clock);

Json to_json(const MeasuringCosts& costs);

}  // namespace normbench
