/// Writes the model as a Chrome trace, which Perfetto, chrome://tracing, speedscope and
/// HolisticTraceAnalysis read.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "trace/model.h"

namespace normbench {

struct ChromeOptions {
  /// The most slices in the file; -1: all. The first ones are kept. The metadata and a mark tell
  /// how many are left out. No flow leads to a slice that is left out.
  std::int64_t max_events = -1;
};

/// Writes a finished model, one event per line. Memory does not grow with the model, except for 8
/// bytes a slice while it finds where to cut the trace. The file has the keys of torch's traces,
/// and "normbench" with what was lost ("losses": the fields of TraceLosses).
void write_chrome(const TraceModel& model, std::ostream& out, const ChromeOptions& options = {});

}  // namespace normbench
