#include "machine/team_cpus.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>

#include "machine/affinity.h"

namespace normbench {
namespace {

/// The first of the variables by which a user binds threads; nothing where none is set.
const char* users_variable() {
  constexpr std::array names{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
  const auto set = std::ranges::find_if(names, [](const char* name) { return std::getenv(name); });
  return set == names.end() ? nullptr : *set;
}

/// All of the machine, in hwloc's order: neighbours share caches.
std::vector<HardwareThread> hardware_threads() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {};
  const std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> owned(raw,
                                                                          hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0) return {};
  std::vector<HardwareThread> threads;
  const auto next = [raw](hwloc_obj_t pu) {
    return hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_PU, pu);
  };
  for (hwloc_obj_t pu = next(nullptr); pu != nullptr; pu = next(pu)) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(raw, HWLOC_OBJ_CORE, pu);
    const int alone = -1 - static_cast<int>(pu->logical_index);  // a core of its own
    threads.push_back({.cpu = static_cast<int>(pu->os_index),
                       .core = core ? static_cast<int>(core->logical_index) : alone});
  }
  return threads;
}

}  // namespace

std::vector<int> cores_first(std::span<const HardwareThread> threads, const cpu_set_t& allowed) {
  std::map<int, int> taken;                       // hardware threads of each core so far
  std::vector<std::pair<int, int>> turn_and_cpu;  // how many of its core come before it
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
                                           : cores_first(hardware_threads(), allowed_cpus());
  return cpus;
}

std::string explain_binding() {
  if (const char* const name = users_variable()) return fmt::format("as {} says", name);
  if (team_cpus().empty()) return "not at all: hwloc does not know this machine's CPUs";
  return "each to a CPU of its own by hwloc, cores first: " + numbers_text(team_cpus());
}

}  // namespace normbench
