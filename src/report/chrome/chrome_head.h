/// What stands in a trace file before its events.
#pragma once

#include <cstdint>

#include "report/chrome/text_writer.h"
#include "trace/model.h"

namespace normbench {

/// Opens the file, up to the bracket of "traceEvents". `base_wall_ns` is the wall clock at ts 0.
void write_head(const TraceModel& model, const TraceLosses& losses, std::int64_t base_wall_ns,
                TextWriter& text);

}  // namespace normbench
