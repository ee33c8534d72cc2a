#include "measure/cgroup.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace normbench {
namespace {

namespace fs = std::filesystem;

template <class T>
void tighten(std::optional<T>& limit, T value) {
  limit = limit ? std::min(*limit, value) : value;
}

/// The numbers at the start of a file: "max" and anything else that is no number ends them.
std::vector<double> numbers_in(const fs::path& path) {
  std::ifstream in(path);
  std::vector<double> numbers;
  for (double number; in >> number;) numbers.push_back(number);
  return numbers;
}

/// Version 2: "200000 100000" (quota and period in microseconds) or "max 100000".
void read_v2(const fs::path& folder, CgroupLimits& limits) {
  const auto cpu = numbers_in(folder / "cpu.max");
  if (cpu.size() == 2 && cpu[0] > 0 && cpu[1] > 0) tighten(limits.cpus, cpu[0] / cpu[1]);
  const auto memory = numbers_in(folder / "memory.max");
  if (!memory.empty()) tighten(limits.memory_bytes, static_cast<std::int64_t>(memory[0]));
}

/// Version 1: a quota of -1 and a limit near 2^63 mean none.
void read_v1(const fs::path& folder, CgroupLimits& limits) {
  const auto quota = numbers_in(folder / "cpu.cfs_quota_us");
  const auto period = numbers_in(folder / "cpu.cfs_period_us");
  if (!quota.empty() && !period.empty() && quota[0] > 0 && period[0] > 0)
    tighten(limits.cpus, quota[0] / period[0]);
  const auto memory = numbers_in(folder / "memory.limit_in_bytes");
  if (!memory.empty() && memory[0] < 0x1p62)
    tighten(limits.memory_bytes, static_cast<std::int64_t>(memory[0]));
}

/// Calls `read` for the group and all above it. Inside a container the path may be the host's and
/// not exist here; the mount's own root is the container's group then.
void walk_up(const fs::path& mount, const std::string& group, CgroupLimits& limits,
             void (*read)(const fs::path&, CgroupLimits&)) {
  fs::path folder = fs::path(group).lexically_normal().relative_path();
  while (true) {
    read(mount / folder, limits);
    if (folder.empty()) return;
    folder = folder.parent_path();
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // "4:memory:/path", version 2: "0::/path"
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    const fs::path base = root / "sys/fs/cgroup";
    if (controllers.empty()) {
      walk_up(base, group, limits, read_v2);
      walk_up(base / "unified", group, limits, read_v2);
    } else {
      walk_up(base / controllers, group, limits, read_v1);
    }
  }
  return limits;
}

}  // namespace normbench
