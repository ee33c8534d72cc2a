/// Times of stages in turns and profiled steps, times of lanes, and the host's clock times at which
/// a device reached its marks.
#pragma once

#include <vector>

#include "backend/backend.h"

namespace normbench {

/// When a queue reached mark 0, on the host's clock, to within `error_ns` either way. A later mark
/// was reached `ns_between(0, mark)` after mark 0.
struct Anchor {
  std::int64_t host_ns = 0;
  std::int64_t error_ns = 0;
};

/// Finds when mark 0 was reached. Puts several marks into the queue, each between two readings of
/// the clock, and uses the closest pair of readings. Forgets earlier marks. Call while no work is
/// in flight.
Anchor take_anchor(Queue& queue, Clock& clock);

/// Returns the time of one mark in ns: on the host or on the device, whichever is longer. Forgets
/// all marks. Call while no work is in flight.
double mark_cost_ns(Queue& queue, Clock& clock);

/// Returns the device time between two marks with nothing between them, in ns. Marks around a stage
/// measure this time in addition to the stage's work. It is the least of many, so that subtracting
/// it never makes work too short. Forgets all marks. Call while no work is in flight.
std::int64_t empty_bracket_ns(Queue& queue);

/// One run of a stage, or of several that are launched as one, for an item.
struct StageRun {
  std::size_t first = 0, last = 0;  // stages, both included
  std::int64_t item = 0;
  std::string_view label = {}, name = {};  // `name` contains the item's number
  std::int64_t bytes = 0;                  // bytes that the stages move
  std::uint64_t external_id = 0;           // number of its range; 0: none
};

/// The time span of a run's work, on the host's clock.
struct StageSpan {
  StageRun run = {};
  std::size_t lane = 0;
  std::int64_t start_ns = 0, end_ns = 0;
  std::int64_t stream = 0;  // the device's stream, counted from 1; 0: the host did the work
};

struct LaneTimes {
  std::int64_t busy_ns = 0;     // the sum of the working times of the lane's servers
  std::int64_t exposed_ns = 0;  // the time in which this lane was the only one at work
};
/// Returns the times of lanes 0 to `lanes` - 1.
std::vector<LaneTimes> lane_times(const std::vector<StageSpan>& spans, std::size_t lanes);

/// Times a stage's calls on the host, and its work on a device between marks. For each run call
/// start, mark_begin, mark_end and stop, in this order. Only one thread may use it.
class StageTimes {
 public:
  struct Span {
    StageRun run;
    std::int64_t start_ns = 0, end_ns = 0;  // times on the host around the calls
    Queue* queue = nullptr;                 // the device's queue with the marks; null: none
    int from = 0, to = 0;
  };

  /// Spans of work on a device are always kept, spans on the host only with `keeps_host`.
  StageTimes(Clock& clock, std::size_t stages, bool keeps_host)
      : clock_(clock), keeps_host_(keeps_host), host_ns_(stages) {}

  void clear();
  void start();
  /// mark_begin() puts a mark into the queue before a run's work, mark_end() after it. Both do
  /// nothing if the queue's calls return only when their work is done.
  void mark_begin(Queue& queue);
  void mark_end(Queue& queue);
  void stop(const StageRun& run, bool on_host);
  /// Subtracts `ns` from the host's time of the present run.
  void leave_out(std::int64_t ns) { left_out_ns_ += ns; }

  /// Host time by stage in ns, without the time of marks. The time of stages that are launched
  /// together belongs to the first of them.
  const std::vector<std::int64_t>& host_ns() const { return host_ns_; }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  int mark(Queue& queue);

  Clock& clock_;
  const bool keeps_host_;
  std::vector<std::int64_t> host_ns_;
  std::vector<Span> spans_;
  std::int64_t start_ns_ = 0;
  std::int64_t left_out_ns_ = 0;  // time of marks and of leave_out() in the present run
  Span open_ = {};
};

}  // namespace normbench
