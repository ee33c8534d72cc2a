/// Rates over time, from what slices moved.
#pragma once

#include <vector>

#include "trace/model.h"

namespace normbench {

/// Gigabytes per second over the link, for each device and direction that copies name
/// ("link HtoD"), and of stages on the host that say what they move ("memory"): what runs at the
/// same time adds up; 0 where nothing does.
std::vector<TraceCounter> counters_of(const TraceModel& model);

}  // namespace normbench
