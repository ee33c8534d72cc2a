#include "backend/cpu/team.h"

#include <hwy/cache_control.h>
#include <omp.h>

#include <algorithm>
#include <optional>

#include "backend/backend.h"
#include "backend/cpu/omp_team.h"
#include "backend/cpu/team_costs.h"

namespace normbench {
namespace {

using Part = std::function<void(std::int64_t begin, std::int64_t end)>;

/// Where a thread's share has a range: not in the thread that has the stage's own.
Recorder* recorder_of_share(const Queue& queue, int rank) {
  return rank > 0 && !queue.stage.empty() ? queue.recorder : nullptr;
}

void alone(std::int64_t total, const Part& part) {
  if (total > 0) part(0, total);
  hwy::FlushStream();
}

std::int64_t now_ns() { return SystemClock().now_ns(); }

/// The calling thread's choice: of its pool's threads only those of the last team's number wait.
/// Null inside a team, unless it was asked for before.
TeamChoice* choice_of(int threads) {
  thread_local int chosen = 0;
  thread_local std::optional<TeamChoice> choice;
  if (chosen != threads) {
    if (omp_in_parallel()) return nullptr;
    choice.emplace(threads, team_costs(threads));
    chosen = threads;
  }
  return &*choice;
}

}  // namespace

// Work after a pause waits for every line of code and data: what stays alone reads the fewest, and
// none of OpenMP's.
int team_size(const Queue& queue, std::int64_t bytes) {
  if (queue.threads <= 1) return 1;
  if (!queue.always_team) {
    const TeamChoice* const choice = choice_of(queue.threads);
    if (choice == nullptr || !choice->may_pay(bytes) || !choice->pays(bytes, now_ns())) return 1;
  }
  return omp_in_parallel() ? 1 : queue.threads;
}

void split(const Queue& queue, std::int64_t total, std::int64_t unit, std::int64_t bytes,
           const Part& part) {
  if (team_size(queue, bytes) > 1) return split_over_team(queue, total, unit, part);
  TeamChoice* const choice = queue.threads > 1 ? choice_of(queue.threads) : nullptr;
  if (choice == nullptr || !choice->may_pay(bytes)) return alone(total, part);
  const std::int64_t start_ns = now_ns();
  alone(total, part);
  choice->worked_alone(bytes, start_ns, now_ns());
}

void split_over_team(const Queue& queue, std::int64_t total, std::int64_t unit, const Part& part) {
  if (queue.threads <= 1 || total <= unit || omp_in_parallel()) return alone(total, part);
  const std::int64_t units = (total + unit - 1) / unit;
  on_team(queue.threads, [&](int rank, int size) {
    const Range share(recorder_of_share(queue, rank), RangeKind::Worker, queue.stage);
    const std::int64_t begin = std::min(total, units * rank / size * unit);
    const std::int64_t end = std::min(total, units * (rank + 1) / size * unit);
    if (begin < end) part(begin, end);
    hwy::FlushStream();
  });
  choice_of(queue.threads)->team_ended(now_ns());
}

void prepare_team(int threads) {
  if (threads > 1 && !omp_in_parallel()) team_costs(threads);
}

std::string explain_grain(int threads) {
  return grain_text(threads, threads > 1 ? team_costs(threads) : TeamCosts());
}

}  // namespace normbench
