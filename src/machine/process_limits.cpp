#include "machine/process_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/units.h"
#include "machine/environment.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

template <class T>
void tighten(std::optional<T>& limit, T value) {
  limit = limit ? std::min(*limit, value) : value;
}

/// Returns the numbers at the start of a file, up to the first word that is not a number, such as
/// "max".
std::vector<double> numbers_in(const fs::path& path) {
  std::ifstream in(path);
  std::vector<double> numbers;
  for (double number; in >> number;) numbers.push_back(number);
  return numbers;
}

/// Reads limits of cgroup version 2. The file "cpu.max" has the quota and the period in
/// microseconds, such as "200000 100000", or "max 100000" for no limit.
void read_v2(const fs::path& folder, CgroupLimits& limits) {
  const auto cpu = numbers_in(folder / "cpu.max");
  if (cpu.size() == 2 && cpu[0] > 0 && cpu[1] > 0) tighten(limits.cpus, cpu[0] / cpu[1]);
  const auto memory = numbers_in(folder / "memory.max");
  if (!memory.empty()) tighten(limits.memory_bytes, static_cast<std::int64_t>(memory[0]));
}

/// Reads limits of cgroup version 1. There a quota of -1 and a memory limit near 2^63 mean no
/// limit.
void read_v1(const fs::path& folder, CgroupLimits& limits) {
  const auto quota = numbers_in(folder / "cpu.cfs_quota_us");
  const auto period = numbers_in(folder / "cpu.cfs_period_us");
  if (!quota.empty() && !period.empty() && quota[0] > 0 && period[0] > 0)
    tighten(limits.cpus, quota[0] / period[0]);
  const auto memory = numbers_in(folder / "memory.limit_in_bytes");
  if (!memory.empty() && memory[0] < 0x1p62)
    tighten(limits.memory_bytes, static_cast<std::int64_t>(memory[0]));
}

/// Returns the bytes of cached files in a control group and the groups below it, from the file
/// memory.stat. The keys in that file begin with `prefix`: "total_" in version 1, and "" in version
/// 2.
std::int64_t cached_files(const fs::path& folder, const std::string& prefix) {
  std::ifstream in(folder / "memory.stat");
  std::int64_t bytes = 0, value = 0;
  for (std::string key; in >> key >> value;)
    if (key == prefix + "inactive_file" || key == prefix + "active_file") bytes += value;
  return bytes;
}

void walk_up(const fs::path& mount, const std::string& group, int version,
             std::vector<CgroupFolder>& folders) {
  fs::path folder = fs::path(group).lexically_normal().relative_path();
  while (true) {
    folders.push_back({mount / folder, version});
    if (folder.empty()) return;
    folder = folder.parent_path();
  }
}

/// `left` is the number of free bytes, and `where` is a text like "in the container". Sets `bytes`
/// to `left` minus a reserve, and `note` to a text that names `left`, `where` and the reserve.
void allow(std::int64_t left, std::string_view where, std::int64_t& bytes, std::string& note) {
  const std::int64_t back = std::max(left / 20, std::int64_t{256} << 20);
  bytes = std::max<std::int64_t>(1, left - back);  // at least 1, because 0 means unknown
  note = fmt::format("{} free {}, of which {} are kept back", format_bytes(left), where,
                     format_bytes(back));
}

std::optional<std::int64_t> machine_bytes(const fs::path& root) {
  const Json available = memory_facts(root).at("available_bytes");
  return available.is_null() ? std::nullopt : std::optional(available.get<std::int64_t>());
}

void allow_host(const fs::path& root, FreeMemory& free) {
  const auto machine = machine_bytes(root), container = free_cgroup_memory(root);
  if (container && (!machine || *container < *machine))
    allow(*container, "in the container", free.bytes.host, free.notes.host);
  else if (machine)
    allow(*machine, "in the machine", free.bytes.host, free.notes.host);
}

}  // namespace

std::vector<CgroupFolder> cgroup_folders(const fs::path& root) {
  std::vector<CgroupFolder> folders;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // like "4:memory:/path", or "0::/path" (v2)
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    const fs::path base = root / "sys/fs/cgroup";
    if (controllers.empty()) {
      walk_up(base, group, 2, folders);
      walk_up(base / "unified", group, 2, folders);
    } else {
      walk_up(base / controllers, group, 1, folders);
    }
  }
  return folders;
}

CgroupLimits read_cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  for (const CgroupFolder& folder : cgroup_folders(root))
    (folder.version == 1 ? read_v1 : read_v2)(folder.path, limits);
  return limits;
}

std::optional<std::int64_t> free_cgroup_memory(const fs::path& root) {
  std::optional<std::int64_t> free;
  for (const CgroupFolder& folder : cgroup_folders(root)) {
    const bool first = folder.version == 1;
    CgroupLimits limits;
    (first ? read_v1 : read_v2)(folder.path, limits);
    if (!limits.memory_bytes) continue;
    const auto usage =
        numbers_in(folder.path / (first ? "memory.usage_in_bytes" : "memory.current"));
    const std::int64_t used = usage.empty() ? 0 : static_cast<std::int64_t>(usage[0]);
    const std::int64_t cached = cached_files(folder.path, first ? "total_" : "");
    tighten(free, std::max<std::int64_t>(
                      0, *limits.memory_bytes - std::max<std::int64_t>(0, used - cached)));
  }
  return free;
}

FreeMemory free_memory(std::optional<std::int64_t> device_bytes, const fs::path& root) {
  FreeMemory free;
  allow_host(root, free);
  if (device_bytes) allow(*device_bytes, "on the GPU", free.bytes.device, free.notes.device);
  return free;
}

}  // namespace normbench
