/// Times stages in turns and in profiled steps, computes the times of lanes, and converts the times
/// of a device to the host's clock.
#pragma once

#include <vector>

#include "backend/backend.h"

namespace normbench {

/// The time at which a queue reached mark 0, on the host's clock. (A mark is an event that is
/// submitted to a queue, like a CUDA event.) The true time differs by at most `error_ns`. A later
/// mark was reached `ns_between(0, mark)` after mark 0.
struct Anchor {
  std::int64_t host_ns = 0;
  std::int64_t error_ns = 0;
};

/// Returns when mark 0 was reached. Submits several marks, each between two readings of the clock.
/// The time of mark 0 is computed from the mark whose two readings are closest to each other.
/// Forgets earlier marks. Call it while no work is in flight.
Anchor take_anchor(Queue& queue, Clock& clock);

/// Returns how long one mark takes in ns: on the host or on the device, whichever takes longer.
/// Forgets all marks. Call it while no work is in flight.
double mark_cost_ns(Queue& queue, Clock& clock);

/// Returns the device time in ns between two marks with no work between them. The time between
/// marks around a stage contains this time in addition to the work of the stage. The result is the
/// least of many measurements, so that subtracting it never makes a stage too short. Forgets all
/// marks. Call it while no work is in flight.
std::int64_t empty_bracket_ns(Queue& queue);

/// One run of a stage for an item, or of several stages that are launched as one graph.
struct StageRun {
  std::size_t first = 0, last = 0;  // stages, both included
  std::int64_t item = 0;
  std::string_view label = {}, name = {};  // `name` contains the item's number
  std::int64_t bytes = 0;                  // moved by the stages
  std::uint64_t external_id = 0;           // number of the range of this run; 0: none
};

/// When the work of a run started and ended, on the host's clock.
struct StageSpan {
  StageRun run = {};
  std::size_t lane = 0;
  std::int64_t start_ns = 0, end_ns = 0;
  std::int64_t stream = 0;  // number of the stream, from 1; 0: the work was on the host
};

/// The times of a lane: a set of stages of a pipeline. Each server of the lane runs these stages
/// for one item at a time.
struct LaneTimes {
  std::int64_t busy_ns = 0;     // sum of the working times of the lane's servers
  std::int64_t exposed_ns = 0;  // time in which this lane worked and no other lane did
};
/// Returns the times of the lanes with the indices 0 to `lanes` - 1.
std::vector<LaneTimes> lane_times(const std::vector<StageSpan>& spans, std::size_t lanes);

/// Times the host's calls of each stage, and its device work between marks. For each run, call
/// start(), mark_begin(), mark_end() and stop() in this order. Only one thread may use an object.
class StageTimes {
 public:
  struct Span {
    StageRun run;
    std::int64_t start_ns = 0, end_ns = 0;  // clock readings around the host's calls
    Queue* queue = nullptr;                 // device queue with the marks; null: host work
    int from = 0, to = 0;                   // marks before and after the device work
  };

  /// Spans of device work are always kept. Spans of host work are kept only with `keeps_host`.
  StageTimes(Clock& clock, std::size_t stages, bool keeps_host)
      : clock_(clock), keeps_host_(keeps_host), host_ns_(stages) {}

  void clear();
  void start();
  /// mark_begin() submits a mark before the work of a run, and mark_end() submits one after it.
  /// Both do nothing if calls of the queue return only when their work is done, as on a CPU.
  void mark_begin(Queue& queue);
  void mark_end(Queue& queue);
  void stop(const StageRun& run, bool on_host);
  /// Subtracts `ns` from the host time of the present run.
  void leave_out(std::int64_t ns) { left_out_ns_ += ns; }

  /// Returns the host time of each stage in ns, without the time of submitting marks. The time of
  /// stages that are launched together is counted for the first of them.
  const std::vector<std::int64_t>& host_ns() const { return host_ns_; }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  int mark(Queue& queue);

  Clock& clock_;
  const bool keeps_host_;
  std::vector<std::int64_t> host_ns_;
  std::vector<Span> spans_;
  std::int64_t start_ns_ = 0;
  std::int64_t left_out_ns_ = 0;  // in the present run: time of marks, and from leave_out()
  Span open_ = {};
};

}  // namespace normbench
