#include "backend/cpu/omp_team.h"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>

#include <exception>

#include "machine/affinity.h"
#include "record/thread_name.h"

namespace normbench {
namespace {

constexpr int kAnywhere = -1;

/// Names a thread of a team once: the pool that it comes from gives it the same rank every time.
void name_worker(int rank) {
  thread_local bool named = false;
  if (named) return;
  named = true;
  name_this_thread(fmt::format("omp worker {}", rank));
}

/// Where a thread of a team runs: anywhere when there are more of them than CPUs.
int cpu_of(int rank, int threads) {
  const auto& cpus = team_cpus();
  const bool enough = static_cast<std::size_t>(threads) <= cpus.size();
  return enough ? cpus[static_cast<std::size_t>(rank)] : kAnywhere;
}

cpu_set_t only(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  return cpus;
}

/// Binds a thread of the pool, where it is not bound to this already.
void bind_worker(int cpu) {
  thread_local int bound_to = kAnywhere;
  if (cpu == bound_to) return;
  bind_this_thread(cpu == kAnywhere ? allowed_cpus() : only(cpu));
  bound_to = cpu;  // also where the system refuses: it would again
}

/// Moves the calling thread to a CPU that it may run on, and leaves it free to go.
void move_to(int cpu) {
  if (cpu == kAnywhere || sched_getcpu() == cpu) return;
  cpu_set_t before;
  if (sched_getaffinity(0, sizeof(before), &before) != 0 || !CPU_ISSET(cpu, &before)) return;
  if (bind_this_thread(only(cpu))) bind_this_thread(before);
}

}  // namespace

void on_team(int threads, const std::function<void(int rank, int size)>& body) {
  if (omp_in_parallel()) return body(0, 1);
  move_to(cpu_of(0, threads));
  std::exception_ptr error;  // nothing may be thrown out of a team
#pragma omp parallel num_threads(threads)
  try {
    const int rank = omp_get_thread_num();
    if (rank > 0) {
      name_worker(rank);
      bind_worker(cpu_of(rank, threads));
    }
    body(rank, omp_get_num_threads());
  } catch (...) {
#pragma omp critical(normbench_team_error)
    error = std::current_exception();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace normbench
