/// How much of the machine this process may use: limits of its container, and free memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace normbench {

struct CgroupLimits {
  std::optional<double> cpus;                // quota in CPUs; std::nullopt: unlimited or unknown
  std::optional<std::int64_t> memory_bytes;  // std::nullopt: unlimited or unknown
  bool operator==(const CgroupLimits&) const = default;
};

/// A folder of a control group, and the cgroup version (1 or 2).
struct CgroupFolder {
  std::filesystem::path path;
  int version = 2;
  bool operator==(const CgroupFolder&) const = default;
};

/// Returns the folders of the control groups of this process and of all groups above them,
/// innermost first. Reads proc/self/cgroup below `root`. Some of the folders may not exist, because
/// in a container proc/self/cgroup may have paths of the host.
std::vector<CgroupFolder> cgroup_folders(const std::filesystem::path& root);

/// Returns the tightest limits of the control groups of this process (versions 1 and 2) and of all
/// groups above them. Reads files below `root`.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

/// Returns the bytes that the control groups of this process and all groups above them still allow:
/// the smallest difference between limit and usage. Cached files do not count as usage, because the
/// kernel can drop them. Returns std::nullopt if no group has a limit.
std::optional<std::int64_t> free_cgroup_memory(const std::filesystem::path& root);

/// Bytes of host memory and of device memory.
struct Sides {
  std::int64_t host = 0, device = 0;
  bool operator==(const Sides&) const = default;
};

/// Notes on the free memory of host and device, like "8.6 GB free in the container, of which 430 MB
/// are kept back".
struct SideNotes {
  std::string host = {}, device = {};
};

/// Free bytes of host and device (0: unknown), and notes on what limits them.
struct FreeMemory {
  Sides bytes = {};
  SideNotes notes = {};
};

/// Returns the memory that this process may use for its buffers.
/// - On the host it is the free memory of the machine or of the tightest control group, whichever
///   is less. Swap does not count.
/// - On the device it is `device_bytes`, the free memory that the GPU reports.
/// A reserve is kept back on each side: 5 % of its free memory, but at least 256 MiB. Other
/// programs and other parts of this process need memory, too, and a nearly full system spends time
/// on reclaiming pages. Reads proc and sys below `root`.
FreeMemory free_memory(std::optional<std::int64_t> device_bytes, const std::filesystem::path& root);

}  // namespace normbench
