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
/// first. A folder need not exist: in a container the path may be the host's, and the container's
/// group is the root of the mount. Reads proc/self/cgroup below `root`.
std::vector<CgroupFolder> cgroup_folders(const std::filesystem::path& root);

/// Returns the tightest limits of this process's control groups (versions 1 and 2) and of all
/// groups above. Reads proc/self/cgroup and sys/fs/cgroup below `root`.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

/// Returns the bytes that this process's control groups, and all groups above, still allow: the
/// least difference of a limit and the usage. Cached files do not count as usage, since they are
/// dropped first. Nothing if there is no limit.
std::optional<std::int64_t> free_cgroup_memory(const std::filesystem::path& root);

/// Bytes on the two sides of the link: host memory of every kind, and device memory.
struct Sides {
  std::int64_t host = 0, device = 0;
  bool operator==(const Sides&) const = default;
};

/// Notes on the free memory of the two sides: "the container allows 8.6 GB".
struct SideNotes {
  std::string host = {}, device = {};
};

/// Free bytes on each side of the link (0: unknown), and notes for messages on what limits them.
struct FreeMemory {
  Sides bytes = {};
  SideNotes notes = {};
};

/// Returns the memory that this process may use. On the host it is what is left in the machine or
/// in the tightest of the control groups, whichever is less. On the device it is `device_bytes`,
/// which the GPU reports as left. Swap does not count, since swapped memory must not be measured.
/// 5 % of each, 256 MiB at least, are kept back. This process needs memory besides its buffers
/// (code, trace, page tables, the driver), and so do other programs. Nearly full systems also
/// reclaim memory all the time. Reads proc and sys below `root`.
FreeMemory free_memory(std::optional<std::int64_t> device_bytes, const std::filesystem::path& root);

}  // namespace normbench
