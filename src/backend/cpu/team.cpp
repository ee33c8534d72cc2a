#include "backend/cpu/team.h"

#include <fmt/format.h>
#include <hwy/cache_control.h>
#include <omp.h>

#include <algorithm>
#include <exception>

#include "backend/backend.h"
#include "record/thread_name.h"

namespace normbench {
namespace {

/// Names a thread of a team once: the pool that it comes from gives it the same rank every time.
void name_worker(int rank) {
  thread_local bool named = false;
  if (named) return;
  named = true;
  name_this_thread(fmt::format("omp worker {}", rank));
}

/// Where a thread's share has a range: not in the thread that has the stage's own.
Recorder* recorder_of_share(const Queue& queue, int rank) {
  return rank > 0 && !queue.stage.empty() ? queue.recorder : nullptr;
}

}  // namespace

void split(const Queue& queue, std::int64_t total, std::int64_t unit,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part) {
  const std::int64_t units = (total + unit - 1) / unit;
  if (queue.threads <= 1 || units <= 1) {
    if (total > 0) part(0, total);
    hwy::FlushStream();
    return;
  }
  std::exception_ptr error;  // nothing may be thrown out of a team
#pragma omp parallel num_threads(queue.threads)
  try {
    const int rank = omp_get_thread_num();
    if (rank > 0) name_worker(rank);
    const Range share(recorder_of_share(queue, rank), RangeKind::Worker, queue.stage);
    const std::int64_t team = omp_get_num_threads();
    const std::int64_t begin = std::min(total, units * rank / team * unit);
    const std::int64_t end = std::min(total, units * (rank + 1) / team * unit);
    if (begin < end) part(begin, end);
    hwy::FlushStream();
  } catch (...) {
#pragma omp critical(normbench_team_error)
    error = std::current_exception();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace normbench
