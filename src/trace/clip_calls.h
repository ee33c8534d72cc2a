/// Calls of the CUDA runtime and driver within the ranges that they were made in.
#pragma once

#include <vector>

#include "trace/loss_marks.h"
#include "trace/model.h"

namespace normbench {

/// A call lies between the starts and ends of ranges that its middle lies between: the clocks of
/// both may differ a little, but a thread opens and closes no range within a call. What sticks out
/// is clipped and counted.
void clip_calls(std::vector<TraceSlice>& slices, TraceLosses& losses, LossMarks& marks);

}  // namespace normbench
