/// Writes slices as lines of a Chrome trace.
#pragma once

#include "report/chrome/text_writer.h"
#include "trace/model.h"

namespace normbench {

/// Separates the events of a trace by commas and line ends. Call next() for each event, and write
/// the event to the returned writer.
class EventLines {
 public:
  explicit EventLines(TextWriter& text) : text_(text) {}

  TextWriter& next() {
    text_ << (first_ ? std::string_view("\n") : std::string_view(",\n"));
    first_ = false;
    return text_;
  }

 private:
  TextWriter& text_;
  bool first_ = true;
};

/// Writes slices with the args of PyTorch's traces. Call enter() for each lane (a thread or a
/// stream), then write() for each slice of that lane.
class SliceWriter {
 public:
  SliceWriter(const TraceModel& model, std::int64_t base_ns, EventLines& lines)
      : model_(model), base_ns_(base_ns), lines_(lines) {}

  void enter(const TraceLane& lane);
  void write(const TraceSlice& slice);

 private:
  const TraceModel& model_;
  std::int64_t base_ns_;
  EventLines& lines_;
  JsonNames names_;
  std::string track_;            // "pid", "tid" and the key "ts", as JSON
  std::int64_t processors_ = 0;  // multiprocessors of the lane's device; 0: unknown
};

}  // namespace normbench
