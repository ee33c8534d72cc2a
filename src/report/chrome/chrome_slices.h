/// Writes slices as lines of a trace file. This takes most of the time of writing the file.
#pragma once

#include "report/chrome/text_writer.h"
#include "trace/model.h"

namespace normbench {

/// Starts each event on a line of its own.
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

/// Writes the slices of one lane after another, with the args of torch's traces.
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
  std::string track_;            // the keys that all slices of the lane share
  std::int64_t processors_ = 0;  // multiprocessors of the lane's device; 0: unknown
};

}  // namespace normbench
