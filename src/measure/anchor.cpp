#include "measure/anchor.h"

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
    queue.wait(mark);
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

}  // namespace normbench
