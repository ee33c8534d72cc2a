/// Device work and the calls that started it, on two clocks.
#pragma once

#include "trace/host_index.h"
#include "trace/loss_marks.h"
#include "trace/model.h"

namespace normbench {

/// Moves device work of a stream that seems to start before its call to the call's start, as long
/// as it was. What had followed other work of the stream still does. Counts what was moved for its
/// call, and by how much.
void start_after_calls(TraceLane& stream, const TraceModel& model, const HostIndex& index,
                       TraceLosses& losses, LossMarks& marks);

}  // namespace normbench
