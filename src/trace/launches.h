/// Calls that start device work, held against the work that is there.
#pragma once

#include <string_view>
#include <vector>

#include "trace/host_index.h"
#include "trace/loss_marks.h"
#include "trace/model.h"

namespace normbench {

/// True for calls whose work has rows of its own: launches of kernels and graphs, copies and sets.
bool starts_device_work(std::string_view call);

/// Counts launches, those whose work is there, and work whose call is not. A call of the driver
/// within a launch of the runtime is the same launch.
void count_launches(const std::vector<TraceLane>& hosts, const std::vector<TraceLane>& devices,
                    const HostIndex& index, TraceLosses& losses, LossMarks& marks);

}  // namespace normbench
