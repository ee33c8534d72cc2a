/// The model as a Chrome trace: what Perfetto, chrome://tracing, speedscope and
/// HolisticTraceAnalysis read.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "trace/model.h"

namespace normbench {

struct ChromeOptions {
  /// Slices at most, those that start first; -1: all. What is cut off is counted in the metadata
  /// and marked, and no flow leads to it.
  std::int64_t max_events = -1;
};

/// Writes a finished model, one event per line, in memory that does not grow with it (but for 8
/// bytes a slice while it looks where to cut). Besides what torch's traces have, the file says
/// under "normbench" what was lost ("losses": the fields of TraceLosses).
void write_chrome(const TraceModel& model, std::ostream& out, const ChromeOptions& options = {});

}  // namespace normbench
