/// One line of a trace file, read strictly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"

namespace normbench {

/// An event as the checker sees it; times in nanoseconds since the trace's base.
struct TraceEvent {
  std::size_t line = 0;
  char phase = '?';
  std::string name, category;
  std::int64_t pid = 0, tid = 0;
  std::int64_t ts = 0, dur = 0;
  std::int64_t flow_id = -1;      // of "s" and "f", and of "b" and "e"
  std::int64_t correlation = -1;  // of GPU work and of calls; -1: none
  std::string loss;               // of an instant: what it marks, or ""

  std::pair<std::int64_t, std::int64_t> track() const { return {pid, tid}; }
  std::int64_t end() const { return ts + dur; }
  bool is_gpu_work() const;
  bool is_call() const;
  /// True for an event of a pipeline's item: its start, its end, or an arrow between its stages.
  bool is_item() const { return phase != 'X' && category == "item"; }
};

/// The event on a line of a trace (a comma at its end is ignored), or nothing when it has a
/// mistake; mistakes are appended to `mistakes`.
std::optional<TraceEvent> read_event(std::string_view text, std::size_t line,
                                     std::vector<std::string>& mistakes);

}  // namespace normbench
