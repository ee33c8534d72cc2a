/// Which CPUs this process may run on, and how its teams' threads are bound, each to a CPU.
#pragma once

#include <sched.h>

#include <span>
#include <string>
#include <vector>

#include "machine/topology.h"

namespace normbench {

/// The CPUs this process was allowed at the first call: call before anything is pinned. Where
/// OpenMP binds threads, the CPUs of its places. None where unknown, or too many for a cpu_set_t.
const cpu_set_t& allowed_cpus();

/// Lets the calling thread run on these CPUs only; false where the system refuses.
bool bind_this_thread(const cpu_set_t& cpus);

/// While it lives, the calling thread, and children it starts, may run on all allowed CPUs.
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

/// The allowed CPUs: the first thread of each core, in the given order, then the second ones, ….
std::vector<int> cores_first(std::span<const HardwareThread> threads, const cpu_set_t& allowed);

/// "0-3, 8, 10": consecutive numbers become a range.
std::string numbers_text(std::span<const int> numbers);

/// The CPU of each thread of a team, by rank, as hwloc sees the machine; larger teams are not
/// bound. None where unknown, or where the user binds threads by OpenMP's variables. Cached.
const std::vector<int>& team_cpus();

/// Whether and how the threads of teams are bound: "each to a CPU of its own by hwloc, cores first:
/// 0, 2, 1, 3", "as OMP_PROC_BIND says", "not at all: …".
std::string explain_binding();

}  // namespace normbench
