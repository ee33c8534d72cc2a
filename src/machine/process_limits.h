/// How much of the machine this process may use: what its container allows, and what is left.
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

/// The folders of this process's control groups and of all groups above them, innermost first. They
/// need not exist: inside a container the path may be the host's, and the mount's own root is the
/// container's group. Reads proc/self/cgroup below `root`.
std::vector<CgroupFolder> cgroup_folders(const std::filesystem::path& root);

/// The tightest limits of this process's control groups (versions 1 and 2) and of all groups above.
/// Reads proc/self/cgroup and sys/fs/cgroup below `root`.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

/// Bytes that this process's control groups, and all above them, still allow: the least of limit
/// less usage. Cached files do not count: they are dropped first. Nothing without a limit.
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

/// Bytes free on each side of the link (0: unknown), and for messages what limits them.
struct FreeMemory {
  Sides bytes = {};
  SideNotes notes = {};
};

/// The host memory left in the machine, or in the tightest of the control groups, and the device
/// memory that the GPU says is left. Swap does not count: swapped memory is not to be measured. 5 %
/// of each, 256 MiB at least, are kept back: for what this process needs beside its buffers (code,
/// trace, page tables, the driver), for other programs, and because nearly full systems reclaim
/// memory all the time. Reads proc and sys below `root`.
FreeMemory free_memory(std::optional<std::int64_t> device_bytes, const std::filesystem::path& root);

}  // namespace normbench
