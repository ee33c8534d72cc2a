/// The limits that a container puts on this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace normbench {

struct CgroupLimits {
  std::optional<double> cpus;                // CPU quota in CPUs; nothing: unlimited or unknown
  std::optional<std::int64_t> memory_bytes;  // nothing: unlimited or unknown

  bool operator==(const CgroupLimits&) const = default;
};

/// The tightest limits of this process's control groups (versions 1 and 2) and of all above them.
/// Reads proc/self/cgroup and sys/fs/cgroup below `root`.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

}  // namespace normbench
