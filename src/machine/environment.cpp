#include "machine/environment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "machine/affinity.h"
#include "machine/cgroup.h"
#include "machine/machine_files.h"
#include "machine/team_cpus.h"
#include "machine/topology.h"

namespace normbench {
namespace {

/// CPUs this process may run on; nothing when the system does not say.
std::optional<int> affinity_cpus() {
  if (const int count = CPU_COUNT(&allowed_cpus()); count > 0) return count;
  std::array<cpu_set_t, 8> set{};  // room for 8192 CPUs
  if (sched_getaffinity(0, sizeof(set), set.data()) != 0) return std::nullopt;
  return CPU_COUNT_S(sizeof(set), set.data());
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json positive(std::int64_t value) { return value > 0 ? Json(value) : Json(); }

Json topology_facts() {
  const Topology& known = topology();
  Json caches = Json::array();
  for (const CacheLevel& cache : known.caches)
    caches.push_back({{"level", cache.level},
                      {"bytes", positive(cache.bytes)},
                      {"count", positive(cache.count)}});
  return {{"packages", positive(known.packages)},
          {"cores", positive(known.cores)},
          {"hardware_threads", positive(known.pus)},
          {"numa_nodes", positive(known.numa_nodes)},
          {"caches", std::move(caches)}};
}

}  // namespace

Json environment(const std::string& machine) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  utsname system{};
  const bool known = uname(&system) == 0;
  const CgroupLimits limits = read_cgroup_limits("/");
  Json cpu = cpu_facts("/");
  cpu.update(topology_facts());
  Json memory = memory_facts("/");
  memory["page_bytes"] = positive(sysconf(_SC_PAGESIZE));
  const std::string host = known ? system.nodename : "";
  return {{"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now)},
          {"host", machine.empty() ? Json(host) : Json(machine)},
          {"kernel", known ? Json(fmt::format("{} {}", system.sysname, system.release)) : Json()},
          {"architecture", known ? Json(system.machine) : Json()},
          {"cpu", std::move(cpu)},
          {"memory", std::move(memory)},
          {"affinity_cpus", or_null(affinity_cpus())},
          {"threads_bound", explain_binding()},
          {"container",
           {{"cpu_quota", or_null(limits.cpus)}, {"memory_bytes", or_null(limits.memory_bytes)}}},
          {"available_threads", available_threads()},
          {"load", load_facts("/")}};
}

std::int64_t last_level_cache_bytes() {
  const auto& caches = topology().caches;
  const std::int64_t bytes = caches.empty() ? 0 : caches.back().bytes * caches.back().count;
  return bytes > 0 ? bytes : std::int64_t{32} << 20;
}

int available_threads() {
  const int cpus = affinity_cpus().value_or(1);
  const double quota = read_cgroup_limits("/").cpus.value_or(cpus);
  return std::max(1, std::min(cpus, static_cast<int>(std::ceil(quota))));
}

}  // namespace normbench
