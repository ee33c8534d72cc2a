/// How much of the machine this process may use: the limits of its container, and the free memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace normbench {

struct CgroupLimits {
  std::optional<double> cpus;                // CPU quota; nothing: unlimited or unknown
  std::optional<std::int64_t> memory_bytes;  // nothing: unlimited or unknown
  bool operator==(const CgroupLimits&) const = default;
};

/// A folder of a control group, of version 1 or 2.
struct CgroupFolder {
  std::filesystem::path path;
  int version = 2;
  bool operator==(const CgroupFolder&) const = default;
};

/// Returns the folders of this process's control groups and of all groups above them, innermost
/// first. Some of these folders may not exist: in a container, proc/self/cgroup may give the host's
/// path, while the root of the mount is the container's own group. Reads proc/self/cgroup below
/// `root`.
std::vector<CgroupFolder> cgroup_folders(const std::filesystem::path& root);

/// Returns the tightest limits of this process's control groups (versions 1 and 2) and of all
/// groups above. Reads proc/self/cgroup and sys/fs/cgroup below `root`.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

/// Returns the bytes that this process's control groups, and all groups above, still allow: the
/// least difference between a group's limit and its usage. Cached files do not count as usage,
/// because the kernel drops them before it refuses memory. Returns nothing if no group has a limit.
std::optional<std::int64_t> free_cgroup_memory(const std::filesystem::path& root);

/// Bytes on the two sides of the link: host memory of every kind, and device memory.
struct Sides {
  std::int64_t host = 0, device = 0;
  bool operator==(const Sides&) const = default;
};

/// Notes on the free memory of the two sides, like "8.6 GB left in the container, 430 MB kept
/// back".
struct SideNotes {
  std::string host = {}, device = {};
};

/// Free bytes on each side of the link (0: unknown), and notes for messages on what limits them.
struct FreeMemory {
  Sides bytes = {};
  SideNotes notes = {};
};

/// Returns the memory that this process may use for its buffers. On the host it is taken from what
/// is left in the machine or in the tightest of the control groups, whichever is less. On the
/// device it is taken from the `device_bytes` that the GPU reports as left. Swap does not count,
/// because swapped memory must not be measured.
/// On each side, 5 % of what is left is kept back, and 256 MiB at least, for three reasons:
/// - This process needs memory besides its buffers (code, trace, page tables, the driver).
/// - Other programs need memory, too.
/// - A nearly full system reclaims memory all the time, which disturbs measurements.
/// Reads proc and sys below `root`.
FreeMemory free_memory(std::optional<std::int64_t> device_bytes, const std::filesystem::path& root);

}  // namespace normbench
