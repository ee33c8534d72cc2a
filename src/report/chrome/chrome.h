/// Writes a `TraceModel` as a Chrome trace, which Perfetto, chrome://tracing, speedscope and
/// HolisticTraceAnalysis read.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "trace/model.h"

namespace normbench {

struct ChromeOptions {
  /// The most slices in the file; -1: all. The earliest slices are kept. If slices are left out,
  /// the metadata and an instant event at the cut hold their number, and flows, items and counter
  /// samples after the cut are left out, too.
  std::int64_t max_events = -1;
};

/// Writes a model after finish_model(), one event per line. The top-level keys are those of
/// PyTorch's traces, and "normbench", whose member "losses" has the fields of `TraceLosses`. With
/// `max_events`, this takes 8 bytes of memory per slice.
void write_chrome(const TraceModel& model, std::ostream& out, const ChromeOptions& options = {});

}  // namespace normbench
