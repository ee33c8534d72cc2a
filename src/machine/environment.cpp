#include "machine/environment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "machine/affinity.h"
#include "machine/process_limits.h"
#include "machine/topology.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 24> kernel_flags{
    "sse2",     "ssse3",       "sse4_1",     "sse4_2",       "avx",         "avx2",
    "fma",      "f16c",        "avx_vnni",   "avx512f",      "avx512bw",    "avx512dq",
    "avx512vl", "avx512_vbmi", "avx512vbmi", "avx512_vbmi2", "avx512_bf16", "avx512_fp16",
    "amx_tile", "amx_bf16",    "asimd",      "asimdhp",      "sve",         "sve2"};

/// Returns the value of the first line "key: value" of a file; std::nullopt if there is none.
std::optional<std::string> line_of(const fs::path& path, std::string_view key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    if (line.find_first_not_of(" \t", key.size()) != colon) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return std::nullopt;
}

std::optional<std::string> first_word(const fs::path& path) {
  std::ifstream in(path);
  std::string word;
  return in >> word ? std::optional(word) : std::nullopt;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

/// Returns the value of a line like "MemTotal:  16384 kB", converted to bytes. Returns null if the
/// file has no such line.
Json kilobytes(const fs::path& path, std::string_view key) {
  const auto text = line_of(path, key);
  std::int64_t value = 0;
  if (!text || !(std::istringstream(*text) >> value)) return {};
  return value * 1024;
}

/// Returns the word in brackets, like "madvise" in "always [madvise] never"; null if there is none.
Json chosen(const fs::path& path) {
  std::ifstream in(path);
  for (std::string word; in >> word;)
    if (word.starts_with('[') && word.ends_with(']')) return word.substr(1, word.size() - 2);
  return {};
}

std::optional<int> affinity_cpus() {
  if (const int count = CPU_COUNT(&allowed_cpus()); count > 0) return count;
  std::array<cpu_set_t, 8> set{};  // room for 8192 CPUs
  if (sched_getaffinity(0, sizeof(set), set.data()) != 0) return std::nullopt;
  return CPU_COUNT_S(sizeof(set), set.data());
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
          {"hardware_threads", positive(std::ssize(known.threads))},
          {"numa_nodes", positive(known.numa_nodes)},
          {"caches", std::move(caches)}};
}

}  // namespace

Json cpu_facts(const fs::path& root) {
  const fs::path cpuinfo = root / "proc/cpuinfo";
  Json facts = {{"model", or_null(line_of(cpuinfo, "model name"))},
                {"flags", nullptr},
                {"virtualised", nullptr}};
  auto flags = line_of(cpuinfo, "flags");
  if (flags) facts["virtualised"] = (" " + *flags + " ").find(" hypervisor ") != std::string::npos;
  if (!flags) flags = line_of(cpuinfo, "Features");  // the key on ARM
  if (flags) {
    std::istringstream words(*flags);
    facts["flags"] = Json::array();
    for (std::string word; words >> word;)
      if (std::ranges::find(kernel_flags, word) != kernel_flags.end())
        facts["flags"].push_back(word);
  }
  const auto governor = first_word(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts["governor"] = or_null(governor);
  if (!governor)
    facts["governor_unknown"] = "no cpufreq here: this system cannot set the clock rate";
  return facts;
}

Json memory_facts(const fs::path& root) {
  const fs::path meminfo = root / "proc/meminfo";
  return {{"total_bytes", kilobytes(meminfo, "MemTotal")},
          {"available_bytes", kilobytes(meminfo, "MemAvailable")},
          {"transparent_huge_pages", chosen(root / "sys/kernel/mm/transparent_hugepage/enabled")}};
}

Json load_facts(const fs::path& root) {
  std::ifstream in(root / "proc/loadavg");
  std::array<double, 3> load{};
  for (double& value : load)
    if (!(in >> value)) return {};
  return load;
}

Json environment(const std::string& machine) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  utsname system{};
  const bool known = uname(&system) == 0;
  const CgroupLimits limits = read_cgroup_limits("/");
  Json cpu = cpu_facts("/");
  cpu.update(topology_facts());
  Json memory = memory_facts("/");
  memory["page_bytes"] = page_bytes();
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

int available_threads() {
  const int cpus = affinity_cpus().value_or(1);
  const double quota = read_cgroup_limits("/").cpus.value_or(cpus);
  return std::max(1, std::min(cpus, static_cast<int>(std::ceil(quota))));
}

}  // namespace normbench
