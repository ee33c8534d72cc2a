/// How much memory this process can have before the system ends it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace normbench {

/// Bytes on the two sides of the link: host memory of every kind, and device memory.
struct Sides {
  std::int64_t host = 0, device = 0;

  bool operator==(const Sides&) const = default;
};

/// What is said of the free memory on the two sides: "the container allows 8.6 GB".
struct SideNotes {
  std::string host = {}, device = {};
};

/// Bytes on each side of the link (0: unknown), and what sets them, for messages.
struct FreeMemory {
  Sides bytes = {};
  SideNotes notes = {};
};

/// Host memory that is left in the machine, or in the tightest of the control groups (swap does not
/// count: what is swapped is not measured), and the device memory that the GPU says is left. 5 % of each,
/// 256 MiB at least, are kept back: for what this process needs beside its buffers (code, trace,
/// page tables, the driver's own), for what others take meanwhile, and because systems that are
/// nearly full reclaim memory all the time. Reads proc and sys below `root`.
FreeMemory free_memory(std::optional<std::int64_t> device_bytes,
                       const std::filesystem::path& root);

}  // namespace normbench
