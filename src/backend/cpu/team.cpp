#include "backend/cpu/team.h"

#include <fmt/format.h>
#include <hwy/cache_control.h>
#include <omp.h>

#include <algorithm>

#include "backend/backend.h"
#include "backend/cpu/omp_team.h"
#include "core/units.h"

namespace normbench {
namespace {

// Fixed, so that every process decides alike: measured waking costs vary a hundredfold.
constexpr double kWakeNs = 100'000;   // to wake a team that sleeps, on a quiet machine
constexpr double kBytesPerNs = 16.0;  // of one thread, beyond its own caches

/// Where a thread's share has a range: not in the thread that has the stage's own.
Recorder* recorder_of_share(const Queue& queue, int rank) {
  return rank > 0 && !queue.stage.empty() ? queue.recorder : nullptr;
}

/// Bytes that a core keeps to itself: the largest data cache before the last level.
std::int64_t own_cache(std::span<const std::int64_t> caches) {
  return caches.size() < 2 ? 0 : caches[caches.size() - 2];
}

/// The fewest bytes for which a team of at least two is used: what a thread's own caches do not
/// hold, and saves more than the waking.
std::int64_t fewest_bytes(int threads, std::span<const std::int64_t> caches) {
  const double even = kWakeNs * kBytesPerNs / (1 - 1.0 / threads);
  return std::max(own_cache(caches), static_cast<std::int64_t>(even)) + 1;
}

}  // namespace

void split(const Queue& queue, std::int64_t total, std::int64_t unit,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part) {
  if (queue.threads <= 1 || omp_in_parallel()) {
    if (total > 0) part(0, total);
    return hwy::FlushStream();
  }
  const std::int64_t units = (total + unit - 1) / unit;
  on_team(queue.threads, [&](int rank, int size) {
    const Range share(recorder_of_share(queue, rank), RangeKind::Worker, queue.stage);
    const std::int64_t begin = std::min(total, units * rank / size * unit);
    const std::int64_t end = std::min(total, units * (rank + 1) / size * unit);
    if (begin < end) part(begin, end);
    hwy::FlushStream();
  });
}

int team_for(std::int64_t bytes, int threads, std::span<const std::int64_t> caches) {
  return threads > 1 && bytes >= fewest_bytes(threads, caches) ? threads : 1;
}

std::string explain_team(int threads, std::span<const std::int64_t> caches) {
  if (threads <= 1) return "one thread: this process may use no more";
  return fmt::format(
      "\"all\" is {} threads for a case with a stage that moves more than {}, else 1: what a team "
      "of {} saves at {:.0f} GB/s a thread must exceed {:.1f} ms for waking it{}. A number is used "
      "as written",
      threads, format_bytes(fewest_bytes(threads, caches) - 1), threads, kBytesPerNs,
      kWakeNs / 1e6,
      own_cache(caches) > 0 ? fmt::format(", and a core's own cache holds {}",
                                          format_bytes(own_cache(caches)))
                            : "");
}

}  // namespace normbench
