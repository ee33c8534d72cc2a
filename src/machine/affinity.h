/// Which CPUs this process and its threads may run on.
#pragma once

#include <sched.h>

namespace normbench {

/// The CPUs this process was allowed when it was first asked; call before anything is pinned. Where
/// OpenMP binds threads (OMP_PROC_BIND), all of its places. None where the system does not say, or
/// has more CPUs than a cpu_set_t holds.
const cpu_set_t& allowed_cpus();

/// Lets the calling thread run on these CPUs only; false where the system refuses.
bool bind_this_thread(const cpu_set_t& cpus);

/// While it lives, the calling thread may run on all of them: children started now inherit that,
/// not a pinned thread's one CPU.
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

}  // namespace normbench
