#include "measure/stage_times.h"

namespace normbench {

void StageTimes::start() {
  open_.reset();
  marking_ns_ = 0;
  start_ns_ = clock_.now_ns();
}

void StageTimes::mark_begin(Queue& queue) {
  if (queue.is_asynchronous()) open_ = Span{.run = {}, .from = mark(queue)};
}

void StageTimes::mark_end(Queue& queue) {
  if (open_) open_->to = mark(queue);
}

void StageTimes::stop(const StageRun& run) {
  host_ns_[run.first] += clock_.now_ns() - start_ns_ - marking_ns_;
  if (!open_) return;
  open_->run = run;
  spans_.push_back(*open_);
}

int StageTimes::mark(Queue& queue) {
  const std::int64_t before_ns = clock_.now_ns();
  const int number = queue.mark();
  marking_ns_ += clock_.now_ns() - before_ns;
  return number;
}

}  // namespace normbench
