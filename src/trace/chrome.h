/// The Chrome trace of the profile pass, as Perfetto, chrome://tracing and speedscope read it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/json.h"
#include "record/recorder.h"

namespace normbench {

/// A thread's worth of slices to draw; times in nanoseconds on the recorder's clock.
struct TraceLane {
  std::int64_t pid = 0, tid = 0;
  std::string name;
  std::vector<Slice> slices = {};
};

struct Trace {
  Json metadata = Json::object();  // written before the events
  std::int64_t base_ns = 0;        // recorder's clock at the run's start: ts 0
  std::int64_t base_wall_ns = 0;   // wall clock of it, since the epoch
  std::string process_name;
  std::vector<TraceLane> lanes = {};
};

/// Writes the trace, one event per line. Slices are sorted, nested and clipped first.
void write_chrome(const Trace& trace, std::ostream& out);

/// What is wrong with a trace file by the rules of this writer; empty when nothing is.
std::vector<std::string> check_chrome(const std::string& text);

}  // namespace normbench
