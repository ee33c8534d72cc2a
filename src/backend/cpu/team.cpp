#include "backend/cpu/team.h"

#include <hwy/cache_control.h>
#include <omp.h>

#include <algorithm>
#include <exception>

namespace normbench {

void split(int threads, std::int64_t total, std::int64_t unit,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part) {
  const std::int64_t units = (total + unit - 1) / unit;
  if (threads <= 1 || units <= 1) {
    if (total > 0) part(0, total);
    hwy::FlushStream();
    return;
  }
  std::exception_ptr error;  // nothing may be thrown out of a team
#pragma omp parallel num_threads(threads)
  try {
    const std::int64_t team = omp_get_num_threads(), rank = omp_get_thread_num();
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
