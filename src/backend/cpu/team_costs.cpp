#include "backend/cpu/team_costs.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "backend/cpu/memory.h"
#include "backend/cpu/omp_team.h"
#include "backend/cpu/stream_simd.h"
#include "record/clock.h"

namespace normbench {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMicrosecond = 1000, kMillisecond = 1'000'000;
constexpr std::int64_t kLongestLoopNs = 20 * kMillisecond;  // threads that wait longer never sleep
constexpr std::int64_t kStillNs = 200 * kMicrosecond;       // without CPU time: a thread sleeps

std::int64_t clock_ns() { return SystemClock().now_ns(); }

void stay_busy(std::int64_t ns) {
  for (const std::int64_t end = clock_ns() + ns; clock_ns() < end;) {
  }
}

/// What a quarter of the times do not exceed: slower ones are those of a disturbed machine.
double lower_quartile(std::vector<double> times) {
  const auto quarter = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, quarter);
  return *quarter;
}

double empty_team_ns(int threads) {
  const std::int64_t start_ns = clock_ns();
  on_team(threads, [](int, int) {});
  return static_cast<double>(clock_ns() - start_ns);
}

/// The clock of a team's second thread's CPU time; nothing where the team has only one.
std::optional<clockid_t> second_threads_clock(int threads) {
  std::optional<clockid_t> clock;
  on_team(threads, [&](int rank, int) {
    clockid_t id = 0;
    if (rank == 1 && pthread_getcpuclockid(pthread_self(), &id) == 0) clock = id;
  });
  return clock;
}

/// Returns when the thread has used no CPU time for a while; how long after now it last did.
double wait_for_sleep(clockid_t thread) {
  const auto used = [thread] {
    timespec time{};
    clock_gettime(thread, &time);
    return std::pair(time.tv_sec, time.tv_nsec);
  };
  const std::int64_t start_ns = clock_ns();
  std::int64_t now = start_ns, seen_ns = start_ns;
  for (auto last = used(); now - seen_ns < kStillNs; now = clock_ns()) {
    if (now - start_ns > kLongestLoopNs) return kInfinite;
    if (const auto next = used(); next != last) {
      last = next;
      seen_ns = now;
    }
  }
  return static_cast<double>(seen_ns - start_ns);
}

/// A team shortly after another one, as a small kernel meets it.
double awake_ns(int threads) {
  std::vector<double> times;
  const std::int64_t end_ns = clock_ns() + 10 * kMillisecond;
  while (times.size() < 31 && (times.empty() || clock_ns() < end_ns)) {
    stay_busy(50 * kMicrosecond);
    times.push_back(empty_team_ns(threads));
  }
  return lower_quartile(std::move(times));
}

/// How long the team's threads wait in a loop, and what it costs when they no longer do.
void measure_sleep(int threads, clockid_t second_thread, TeamCosts& costs) {
  std::vector<double> loops, times;
  for (int i = 0; i < 7; ++i) {
    empty_team_ns(threads);
    loops.push_back(wait_for_sleep(second_thread));
    if (loops.back() == kInfinite) {
      costs.loop_ns = kInfinite;
      costs.asleep_ns = costs.awake_ns;
      return;
    }
    stay_busy(kMillisecond);
    times.push_back(empty_team_ns(threads));
  }
  costs.loop_ns = lower_quartile(std::move(loops));
  costs.asleep_ns = std::max(costs.awake_ns, lower_quartile(std::move(times)));
}

/// Of copies of `bytes` / 2 by one thread, the fastest of a few.
double bytes_per_ns(std::int64_t bytes) {
  const std::int64_t half = bytes / 2;
  const auto memory = map_pages(Memory::Pageable, static_cast<std::size_t>(bytes));
  double least_ns = kInfinite;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t start_ns = clock_ns();
    copy_bytes(memory->data(), memory->data() + half, half, Stores::Normal);
    const auto ns = static_cast<double>(clock_ns() - start_ns);
    if (i > 0) least_ns = std::min(least_ns, ns);  // the first touches the pages
  }
  return static_cast<double>(bytes) / least_ns;
}

/// One thread's own cache is the largest before the last level.
void measure_rates(TeamCosts& costs) {
  const auto sizes = cache_sizes();
  costs.cache_bytes = sizes.size() < 2 ? std::int64_t{1} << 20 : sizes[sizes.size() - 2];
  costs.cached_bytes_per_ns = bytes_per_ns(costs.cache_bytes / 2);
  costs.uncached_bytes_per_ns =
      std::min(costs.cached_bytes_per_ns, bytes_per_ns(3 * costs.cache_bytes));
}

TeamCosts measure(int threads) {
  TeamCosts costs{.awake_ns = kInfinite, .asleep_ns = kInfinite};
  measure_rates(costs);
  const auto second_thread = second_threads_clock(threads);
  if (!second_thread) return costs;
  costs.awake_ns = awake_ns(threads);
  measure_sleep(threads, *second_thread, costs);
  return costs;
}

}  // namespace

const TeamCosts& team_costs(int threads) {
  static std::mutex mutex;
  static std::map<int, TeamCosts> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(threads);
  return (found != known.end() ? found : known.emplace(threads, measure(threads)).first)->second;
}

}  // namespace normbench
