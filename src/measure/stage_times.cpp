#include "measure/stage_times.h"

#include <algorithm>

namespace normbench {
namespace {

constexpr int tries = 16;
constexpr int marks = 100;

}  // namespace

Anchor take_anchor(Queue& queue, Clock& clock) {
  queue.reset_marks();
  Anchor best;
  for (int i = 0; i < tries; ++i) {
    const std::int64_t before_ns = clock.now_ns();
    const int mark = queue.mark();
    queue.wait_awake(mark);
    const std::int64_t bracket_ns = clock.now_ns() - before_ns;
    const std::int64_t error_ns = (bracket_ns + 1) / 2;
    if (i > 0 && error_ns >= best.error_ns) continue;
    best = {.host_ns = before_ns + bracket_ns / 2 - queue.ns_between(0, mark),
            .error_ns = error_ns};
  }
  return best;
}

double mark_cost_ns(Queue& queue, Clock& clock) {
  double least = 0;
  for (int batch = 0; batch < 5; ++batch) {
    queue.reset_marks();
    const std::int64_t start_ns = clock.now_ns();
    for (int i = 0; i < marks; ++i) queue.mark();
    queue.drain();
    const double cost = static_cast<double>(clock.now_ns() - start_ns) / marks;
    least = batch == 0 ? cost : std::min(least, cost);
  }
  queue.reset_marks();
  return least;
}

std::int64_t empty_bracket_ns(Queue& queue) {
  queue.reset_marks();
  for (int i = 0; i < marks; ++i) queue.mark();
  queue.drain();
  std::int64_t least = queue.ns_between(0, 1);
  for (int i = 2; i < marks; ++i) least = std::min(least, queue.ns_between(i - 1, i));
  queue.reset_marks();
  return least;
}

std::vector<LaneTimes> lane_times(const std::vector<StageSpan>& spans, std::size_t lanes) {
  struct Change {
    std::int64_t at_ns;
    int by;
    std::size_t lane;
  };
  std::vector<Change> changes;
  std::vector<LaneTimes> times(lanes);
  for (const StageSpan& span : spans) {
    times[span.lane].busy_ns += span.end_ns - span.start_ns;
    changes.push_back({span.start_ns, 1, span.lane});
    changes.push_back({span.end_ns, -1, span.lane});
  }
  std::ranges::sort(changes, {}, &Change::at_ns);
  std::vector<int> at_work(lanes);  // items in each lane
  std::int64_t before_ns = 0;
  for (const Change& change : changes) {
    const auto is_working = [](int items) { return items > 0; };
    if (std::ranges::count_if(at_work, is_working) == 1) {
      const auto only = std::ranges::find_if(at_work, is_working) - at_work.begin();
      times[static_cast<std::size_t>(only)].exposed_ns += change.at_ns - before_ns;
    }
    at_work[change.lane] += change.by;
    before_ns = change.at_ns;
  }
  return times;
}

void StageTimes::clear() {
  std::ranges::fill(host_ns_, 0);
  spans_.clear();
}

void StageTimes::start() {
  open_.queue = nullptr;
  left_out_ns_ = 0;
  start_ns_ = clock_.now_ns();
}

void StageTimes::mark_begin(Queue& queue) {
  if (!queue.is_asynchronous()) return;
  open_.queue = &queue;
  open_.from = mark(queue);
}

void StageTimes::mark_end(Queue& queue) {
  if (open_.queue != nullptr) open_.to = mark(queue);
}

void StageTimes::stop(const StageRun& run, bool on_host) {
  const std::int64_t end_ns = clock_.now_ns();
  host_ns_[run.first] += end_ns - start_ns_ - left_out_ns_;
  if (open_.queue == nullptr && !(on_host && keeps_host_)) return;
  open_.run = run;
  open_.start_ns = start_ns_;
  open_.end_ns = end_ns;
  spans_.push_back(open_);
}

int StageTimes::mark(Queue& queue) {
  const std::int64_t before_ns = clock_.now_ns();
  const int number = queue.mark();
  left_out_ns_ += clock_.now_ns() - before_ns;
  return number;
}

}  // namespace normbench
