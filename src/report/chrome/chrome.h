/// Writes a `TraceModel` as a Chrome trace, which Perfetto, chrome://tracing, speedscope and
/// HolisticTraceAnalysis read.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "trace/model.h"

namespace normbench {

struct ChromeOptions {
  /// The maximum number of slices in the file; -1: no limit. The earliest slices are kept. If
  /// slices are left out, the metadata and an instant event at the cut contain their number. Flows,
  /// items and counter samples after the cut are left out, too.
  std::int64_t max_events = -1;
};

/// Writes a model, with one event per line. The caller must have called finish_model() on it. The
/// top-level keys are the keys of PyTorch's traces and "normbench". The object "normbench" has the
/// fields of `TraceLosses` in its member "losses". If `max_events` is set, 8 bytes of memory are
/// used for each slice of the model.
void write_chrome(const TraceModel& model, std::ostream& out, const ChromeOptions& options = {});

}  // namespace normbench
