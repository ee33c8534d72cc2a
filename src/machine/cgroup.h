/// The limits that a container puts on this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace normbench {

struct CgroupLimits {
  std::optional<double> cpus;                // CPU quota in CPUs; nothing: unlimited or unknown
  std::optional<std::int64_t> memory_bytes;  // nothing: unlimited or unknown

  bool operator==(const CgroupLimits&) const = default;
};

/// A folder of a control group, of version 1 or 2.
struct CgroupFolder {
  std::filesystem::path path;
  int version = 2;

  bool operator==(const CgroupFolder&) const = default;
};

/// Where the files of this process's control groups and of all above them would lie, innermost
/// first. Inside a container the path may be the host's and not exist here; the mount's own root is
/// the container's group then. Reads proc/self/cgroup below `root`.
std::vector<CgroupFolder> cgroup_folders(const std::filesystem::path& root);

/// The tightest limits of this process's control groups (versions 1 and 2) and of all above them.
/// Reads proc/self/cgroup and sys/fs/cgroup below `root`.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

/// Bytes that this process's control groups, and all above them, still allow: the least of limit
/// less usage. Files that are cached do not count as used, for they go before anything is killed.
/// Nothing without a limit.
std::optional<std::int64_t> free_cgroup_memory(const std::filesystem::path& root);

}  // namespace normbench
