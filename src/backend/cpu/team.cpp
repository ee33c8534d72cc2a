#include "backend/cpu/team.h"

#include <fmt/format.h>
#include <hwy/cache_control.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "backend/backend.h"
#include "core/units.h"
#include "machine/affinity.h"
#include "machine/topology.h"
#include "record/thread_name.h"

namespace normbench {
namespace {

constexpr int kAnywhere = -1;

/// Names the calling thread of a team, once. The thread pool gives a thread the same rank every
/// time.
void name_worker(int rank) {
  thread_local bool named = false;
  if (named) return;
  named = true;
  name_this_thread(fmt::format("omp worker {}", rank));
}

/// Returns the CPU of a thread of a team, or kAnywhere if there are more threads than CPUs.
int cpu_of(int rank, int threads, std::span<const int> cpus) {
  const bool enough = static_cast<std::size_t>(threads) <= cpus.size();
  return enough ? cpus[static_cast<std::size_t>(rank)] : kAnywhere;
}

cpu_set_t only(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  return cpus;
}

/// Binds the calling pool thread to a CPU, unless the thread is bound to that CPU already. With
/// kAnywhere, the thread may run on every allowed CPU.
void bind_worker(int cpu) {
  thread_local int bound_to = kAnywhere;
  if (cpu == bound_to) return;
  bind_this_thread(cpu == kAnywhere ? allowed_cpus() : only(cpu));
  bound_to = cpu;  // also if the system refused: it would refuse again
}

/// Moves the calling thread to a CPU if it may run there. The thread is not bound to that CPU.
void move_to(int cpu) {
  if (cpu == kAnywhere || sched_getcpu() == cpu) return;
  cpu_set_t before;
  if (sched_getaffinity(0, sizeof(before), &before) != 0 || !CPU_ISSET(cpu, &before)) return;
  if (bind_this_thread(only(cpu))) bind_this_thread(before);
}

constexpr double kBytesPerNs = 16.0;  // memory traffic of one thread beyond its own caches

/// Returns the recorder in which the thread of rank `rank` records its share of a stage. Returns
/// null for a stage without a range, and for rank 0, whose thread has the range of the whole stage.
Recorder* recorder_of_share(const Queue& queue, int rank) {
  return rank > 0 && !queue.stage.empty() ? queue.recorder : nullptr;
}

/// Returns the size in bytes of the data cache before the last level, or 0 if there is only one
/// level.
std::int64_t own_cache(std::span<const std::int64_t> caches) {
  return caches.size() < 2 ? 0 : caches[caches.size() - 2];
}

/// Returns the fewest bytes for which a stage gets a team. That many bytes do not fit in a core's
/// own cache, and a team saves more time on them than waking it costs.
std::int64_t fewest_bytes(int threads, std::span<const std::int64_t> caches) {
  const double even = team_wake_ns * kBytesPerNs / (1 - 1.0 / threads);
  return std::max(own_cache(caches), static_cast<std::int64_t>(even)) + 1;
}

/// Throws std::runtime_error if a team is smaller than asked for, because a smaller team must not
/// be measured.
void require_size(int size, int threads) {
  if (size != threads)
    throw std::runtime_error(fmt::format(
        "OpenMP starts only {} of {} threads (look at OMP_THREAD_LIMIT and OMP_MAX_ACTIVE_LEVELS)",
        size, threads));
}

}  // namespace

void on_team(int threads, const std::function<void(int rank, int size)>& body) {
  on_team(threads, team_cpus(), body);
}

void on_team(int threads, std::span<const int> cpus,
             const std::function<void(int rank, int size)>& body) {
  if (omp_in_parallel()) return body(0, 1);
  move_to(cpu_of(0, threads, cpus));
  omp_set_dynamic(0);        // OMP_DYNAMIC may give fewer threads; this setting is per thread
  std::exception_ptr error;  // an exception must not leave a parallel region
#pragma omp parallel num_threads(threads)
  try {
    require_size(omp_get_num_threads(), threads);
    const int rank = omp_get_thread_num();
    if (rank > 0) {
      name_worker(rank);
      bind_worker(cpu_of(rank, threads, cpus));
    }
    body(rank, threads);
  } catch (...) {
#pragma omp critical(normbench_team_error)
    error = std::current_exception();
  }
  if (error) std::rethrow_exception(error);
}

int team_of_at_most(int threads) {
  if (omp_in_parallel() || omp_get_max_active_levels() < 1) return 1;
  return std::min(threads, omp_get_thread_limit());
}

void split(const Queue& queue, std::int64_t total, std::int64_t unit,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part) {
  if (queue.threads <= 1 || omp_in_parallel()) {
    if (total > 0) part(0, total);
    return hwy::FlushStream();
  }
  const std::int64_t units = (total + unit - 1) / unit;
  const std::span<const int> cpus = queue.cpus ? *queue.cpus : team_cpus();
  on_team(queue.threads, cpus, [&](int rank, int size) {
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
  if (threads <= 1) return "one thread, as this process may use only one";
  return fmt::format(
      "\"all\" is {} threads for a case with a stage that moves more than {}, else 1: what a team "
      "of {} saves at {:.0f} GB/s a thread must exceed {:.1f} ms for waking it{}. A number is used "
      "as written",
      threads, format_bytes(fewest_bytes(threads, caches) - 1), threads, kBytesPerNs,
      team_wake_ns / 1e6,
      own_cache(caches) > 0
          ? fmt::format(", and a core's own cache holds {}", format_bytes(own_cache(caches)))
          : "");
}

}  // namespace normbench
