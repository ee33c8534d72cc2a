/// The time of stages within turns and profiled steps, and a device's marks on the host's clock.
#pragma once

#include "backend/backend.h"

namespace normbench {

/// When mark 0 was reached on the host's clock, to within `error_ns` either way. A later mark was
/// reached `ns_between(0, mark)` after it.
struct Anchor {
  std::int64_t host_ns = 0;
  std::int64_t error_ns = 0;
};

/// Marks the queue several times, each between two readings of the clock that the mark must lie
/// between, and believes the closest pair. Forgets earlier marks; call when drained.
Anchor take_anchor(Queue& queue, Clock& clock);

/// Nanoseconds that one mark costs the host or the device, whichever takes longer. Forgets all
/// marks; call when drained.
double mark_cost_ns(Queue& queue, Clock& clock);

/// Device nanoseconds between two marks with nothing between them: what a stage's marks count
/// beside its work. The least of many, so that no work is ever taken for less than it is. Forgets
/// all marks; call when drained.
std::int64_t empty_bracket_ns(Queue& queue);

/// One run of a stage, or of several that are launched as one.
struct StageRun {
  std::size_t first = 0, last = 0;  // stages
  std::string_view label, name;     // the name is that of this iteration's range
  std::int64_t bytes = 0;           // that they move
  std::uint64_t external_id = 0;    // of its range; 0: it has none
};

/// Takes time on the host around a stage's calls, and on a device between marks around its work.
/// Each run of a stage is start, mark_begin, mark_end, stop.
class StageTimes {
 public:
  /// The marks around the work of a run on a device.
  struct Span {
    StageRun run;
    int from = 0, to = 0;
  };

  StageTimes(Clock& clock, std::size_t stages) : clock_(clock), host_ns_(stages) {}

  void start();
  /// Mark the queue around a run's work, or do nothing where work is done inline.
  void mark_begin(Queue& queue);
  void mark_end(Queue& queue);
  void stop(const StageRun& run);
  /// Leaves so much of the present run out of its time.
  void leave_out(std::int64_t ns) { left_out_ns_ += ns; }

  /// Host time of each stage, its marks not counted; of stages launched as one, that of the first.
  const std::vector<std::int64_t>& host_ns() const { return host_ns_; }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  int mark(Queue& queue);

  Clock& clock_;
  std::vector<std::int64_t> host_ns_;
  std::vector<Span> spans_;
  std::int64_t start_ns_ = 0;
  std::int64_t left_out_ns_ = 0;  // marks, and what leave_out() was told of
  std::optional<Span> open_;
};

}  // namespace normbench
