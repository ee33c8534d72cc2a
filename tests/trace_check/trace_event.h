/// Reads one line of a trace file strictly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"

namespace normbench {

/// An event of the trace. Times are in ns since the trace's base.
struct TraceEvent {
  std::size_t line = 0;
  char phase = '?';
  std::string name, category;
  std::int64_t pid = 0, tid = 0;
  std::int64_t ts = 0, dur = 0;
  std::int64_t flow_id = -1;      // id of an arrow ("s", "f") or item ("b", "e"); -1: none
  std::int64_t correlation = -1;  // id of a call and of the GPU work that it started; -1: none
  std::string loss;               // the loss that an instant marks, or ""

  std::pair<std::int64_t, std::int64_t> track() const { return {pid, tid}; }
  std::int64_t end() const { return ts + dur; }
  bool is_gpu_work() const;
  bool is_call() const;
  /// Returns true for an event of a pipeline's item: its start or end, or an arrow between its
  /// stages.
  bool is_item() const { return phase != 'X' && category == "item"; }
};

/// Reads the event on a line of a trace. Ignores a comma at the end. If the event has mistakes,
/// appends them to `mistakes` and returns nothing.
std::optional<TraceEvent> read_event(std::string_view text, std::size_t line,
                                     std::vector<std::string>& mistakes);

}  // namespace normbench
