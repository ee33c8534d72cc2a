#include "machine/affinity.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

namespace normbench {
namespace {

bool read_affinity(cpu_set_t& cpus) {
  CPU_ZERO(&cpus);
  return sched_getaffinity(0, sizeof(cpus), &cpus) == 0;
}

/// Returns the CPUs of all places of OpenMP (OMP_PLACES). sched_getaffinity() would not find them
/// all: if OpenMP binds threads, it pins the first thread to a single place before main().
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

const char* users_variable() {
  constexpr std::array names{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
  const auto set = std::ranges::find_if(names, [](const char* name) { return std::getenv(name); });
  return set == names.end() ? nullptr : *set;
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

std::vector<int> cores_first(std::span<const HardwareThread> threads, const cpu_set_t& allowed) {
  std::map<int, int> taken;                       // number of CPUs of each core so far
  std::vector<std::pair<int, int>> turn_and_cpu;  // rank of each CPU within its core, and the CPU
  for (const HardwareThread& thread : threads)
    if (thread.cpu < CPU_SETSIZE && CPU_ISSET(thread.cpu, &allowed))
      turn_and_cpu.emplace_back(taken[thread.core]++, thread.cpu);
  std::ranges::stable_sort(turn_and_cpu, {}, &std::pair<int, int>::first);
  std::vector<int> cpus;
  for (const auto& [turn, cpu] : turn_and_cpu) cpus.push_back(cpu);
  return cpus;
}

std::string numbers_text(std::span<const int> numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", first == 0 ? "" : ", ", numbers[first]);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ", " : "-", numbers[last]);
    first = last + 1;
  }
  return text;
}

const std::vector<int>& team_cpus() {
  static const std::vector<int> cpus = users_variable() != nullptr
                                           ? std::vector<int>()
                                           : cores_first(topology().threads, allowed_cpus());
  return cpus;
}

std::string explain_binding() {
  if (const char* const name = users_variable()) return fmt::format("as {} says", name);
  if (team_cpus().empty()) return "not at all: hwloc does not know this machine's CPUs";
  return "each to a CPU of its own by hwloc, cores first: " + numbers_text(team_cpus());
}

}  // namespace normbench
