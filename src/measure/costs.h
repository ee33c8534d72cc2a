/// What the measuring itself costs.
#pragma once

#include <cstdint>

#include "core/json.h"
#include "record/clock.h"

namespace normbench {

/// Nanoseconds of one call: medians over many loops of calls, with the tools that are attached now.
struct MeasuringCosts {
  double clock_ns = 0;             // a reading of the clock; the least, as turns are sized by it
  std::int64_t clock_step_ns = 0;  // the smallest step of it that was seen
  double range_recorded_ns = 0;    // a range with the recorder on, NVTX in it
  double range_ns = 0;             // the same with the recorder off
  double nvtx_ns = 0;              // its NVTX range alone; without a tool, the look for one

  bool operator==(const MeasuringCosts&) const = default;
};

/// Takes a few milliseconds.
MeasuringCosts measuring_costs(Clock& clock);

Json to_json(const MeasuringCosts& costs);

}  // namespace normbench
