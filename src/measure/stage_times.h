/// The time of stages within turns and profiled steps, a device's marks on the host's clock, and
/// what of a lane's work nothing else hid.
#pragma once

#include <vector>

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

/// One run of a stage, or of several that are launched as one, for an item.
struct StageRun {
  std::size_t first = 0, last = 0;  // stages
  std::int64_t item = 0;
  std::string_view label = {}, name = {};  // the name is that of this item's range
  std::int64_t bytes = 0;                  // that they move
  std::uint64_t external_id = 0;           // of its range; 0: it has none
};

/// A run's work on the host's clock.
struct StageSpan {
  StageRun run = {};
  std::size_t lane = 0;
  std::int64_t start_ns = 0, end_ns = 0;
  std::int64_t stream = 0;  // of the device that did it, counted from 1; 0: the host did
};

struct LaneTimes {
  std::int64_t busy_ns = 0;     // the sum of its servers' work
  std::int64_t exposed_ns = 0;  // while it worked and no other lane did
};
/// The times of each of so many lanes.
std::vector<LaneTimes> lane_times(const std::vector<StageSpan>& spans, std::size_t lanes);

/// Takes time on the host around a stage's calls, and on a device between marks around its work.
/// Each run of a stage is start, mark_begin, mark_end, stop. One thread uses it.
class StageTimes {
 public:
  struct Span {
    StageRun run;
    std::int64_t start_ns = 0, end_ns = 0;  // of the host
    Queue* queue = nullptr;                 // a device's, with marks around the work
    int from = 0, to = 0;
  };

  /// `keeps_host` says whether spans of work on the host are kept; those on a device are.
  StageTimes(Clock& clock, std::size_t stages, bool keeps_host)
      : clock_(clock), keeps_host_(keeps_host), host_ns_(stages) {}

  void clear();
  void start();
  /// These two put a mark into the queue, before and after a run's work. They do nothing on a queue
  /// that works at once.
  void mark_begin(Queue& queue);
  void mark_end(Queue& queue);
  void stop(const StageRun& run, bool on_host);
  /// Leaves so much of the present run out of its time.
  void leave_out(std::int64_t ns) { left_out_ns_ += ns; }

  /// Host time of each stage, its marks not counted; of stages launched as one, that of the first.
  const std::vector<std::int64_t>& host_ns() const { return host_ns_; }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  int mark(Queue& queue);

  Clock& clock_;
  const bool keeps_host_;
  std::vector<std::int64_t> host_ns_;
  std::vector<Span> spans_;
  std::int64_t start_ns_ = 0;
  std::int64_t left_out_ns_ = 0;  // marks, and what leave_out() was told of
  Span open_ = {};
};

}  // namespace normbench
