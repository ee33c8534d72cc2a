/// The CPUs that this process may run on, and the CPUs that the threads of its teams are bound to.
#pragma once

#include <sched.h>

#include <span>
#include <string>
#include <vector>

#include "machine/topology.h"

namespace normbench {

/// Returns the CPUs that this process may use: those of OpenMP's places if OpenMP binds threads,
/// else those that the calling thread was allowed to use at the first call. So make the first call
/// before any thread is pinned. The set is empty if the CPUs are unknown, or too many for a
/// cpu_set_t.
const cpu_set_t& allowed_cpus();

/// Lets the calling thread run on these CPUs only. Returns false if the system refuses.
bool bind_this_thread(const cpu_set_t& cpus);

/// While this object lives, the thread that made it may run on all allowed CPUs, and so may the
/// threads and processes that this thread starts.
class Unpinned {
 public:
  Unpinned();
  ~Unpinned();
  Unpinned(const Unpinned&) = delete;
  Unpinned& operator=(const Unpinned&) = delete;

 private:
  cpu_set_t before_;
  bool changed_ = false;
};

/// Returns the allowed CPUs: the first thread of each core in the given order, then the second
/// thread of each core, and so on.
std::vector<int> cores_first(std::span<const HardwareThread> threads, const cpu_set_t& allowed);

/// Returns the numbers as text, like "0-3, 8, 10": three or more consecutive numbers are a range.
std::string numbers_text(std::span<const int> numbers);

/// Returns the CPUs to which the threads of teams are bound, by the rank of the thread: the allowed
/// CPUs in the order of cores_first(), with the cores as hwloc knows them. A team with more threads
/// than there are CPUs in this list is not bound. The list is empty if the CPUs are unknown, or if
/// the user binds threads by OpenMP's variables. It is computed once.
const std::vector<int>& team_cpus();

/// Returns how the threads of teams are bound, like "each to a CPU of its own by hwloc, cores
/// first: 0, 2, 1, 3", "as OMP_PROC_BIND says" or "not at all: …".
std::string explain_binding();

}  // namespace normbench
