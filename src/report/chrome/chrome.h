/// The model as a Chrome trace, which Perfetto, chrome://tracing, speedscope and
/// HolisticTraceAnalysis read.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "trace/model.h"

namespace normbench {

struct ChromeOptions {
  /// The most slices, of which the first ones are kept; -1: all. The number left out is in the
  /// metadata and in a mark, and no flow leads to such a slice.
  std::int64_t max_events = -1;
};

/// Writes a finished model, one event per line. Memory does not grow with it, but for 8 bytes a
/// slice while it finds where to cut. Besides the keys of torch's traces, the file has "normbench"
/// with what was lost ("losses": the fields of TraceLosses).
void write_chrome(const TraceModel& model, std::ostream& out, const ChromeOptions& options = {});

}  // namespace normbench
