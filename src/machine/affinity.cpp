#include "machine/affinity.h"

#include <omp.h>

#include <vector>

namespace normbench {
namespace {

bool read_affinity(cpu_set_t& cpus) {
  CPU_ZERO(&cpus);
  return sched_getaffinity(0, sizeof(cpus), &cpus) == 0;
}

/// A binding OpenMP has pinned the first thread before main(): its places tell what there was.
cpu_set_t cpus_of_places() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    for (const int id : ids)
      if (id >= 0 && id < CPU_SETSIZE) CPU_SET(id, &cpus);
  }
  return cpus;
}

cpu_set_t find_allowed() {
  if (omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_places() > 0)
    return cpus_of_places();
  cpu_set_t cpus;
  if (!read_affinity(cpus)) CPU_ZERO(&cpus);
  return cpus;
}

}  // namespace

const cpu_set_t& allowed_cpus() {
  static const cpu_set_t cpus = find_allowed();
  return cpus;
}

bool bind_this_thread(const cpu_set_t& cpus) {
  return sched_setaffinity(0, sizeof(cpus), &cpus) == 0;
}

Unpinned::Unpinned() {
  const cpu_set_t& all = allowed_cpus();
  if (!read_affinity(before_) || CPU_COUNT(&all) == 0 || CPU_EQUAL(&before_, &all)) return;
  changed_ = bind_this_thread(all);
}

Unpinned::~Unpinned() {
  if (changed_) bind_this_thread(before_);
}

}  // namespace normbench
