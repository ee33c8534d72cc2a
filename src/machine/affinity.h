/// The CPUs that this process may use, and the CPUs to which threads of teams are bound. A team is
/// the threads that run a CPU stage together.
#pragma once

#include <sched.h>

#include <span>
#include <string>
#include <vector>

#include "machine/topology.h"

namespace normbench {

/// Returns the CPUs that this process may use. If OpenMP binds threads, these are the CPUs of its
/// places. Otherwise they are the CPUs that the calling thread may use at the first call, so make
/// that call before any thread is pinned. Empty if they are unknown or too many for a cpu_set_t.
const cpu_set_t& allowed_cpus();

/// Restricts the calling thread to these CPUs. Returns false if the system refuses.
bool bind_this_thread(const cpu_set_t& cpus);

/// While this object lives, the thread that made it may run on all allowed CPUs. Threads and
/// processes that this thread starts may do so, too.
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

/// Returns the allowed CPUs: first one CPU of each core, in the order of `threads`, then the second
/// CPU of each core, and so on.
std::vector<int> cores_first(std::span<const HardwareThread> threads, const cpu_set_t& allowed);

/// Returns the numbers as text, like "0-3, 8, 10". Three or more consecutive numbers become a
/// range.
std::string numbers_text(std::span<const int> numbers);

/// Returns the CPUs to which threads of teams are bound, in the order of cores_first(): thread i of
/// a team gets CPU i of the list. A team with more threads than the list has CPUs is not bound. The
/// list is empty if the CPUs are unknown, or if the user has set a variable such as OMP_PROC_BIND
/// or OMP_PLACES. The list is computed once.
const std::vector<int>& team_cpus();

/// Returns how threads of teams are bound, like "as OMP_PROC_BIND says" or "not at all: …".
std::string explain_binding();

}  // namespace normbench
