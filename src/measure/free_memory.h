/// How much memory this process can have before the system ends it.
#pragma once

#include <filesystem>

#include "backend/backend.h"
#include "plan/plan.h"

namespace normbench {

/// Bytes on each side of the link (0: unknown), and what sets them, for messages.
struct FreeMemory {
  Sides bytes = {};
  SideNotes notes = {};
};

/// Host memory that is left in the machine, or in the tightest of the control groups (swap does not
/// count: what is swapped is not measured), and device memory that is left on the GPU. 5 % of each,
/// 256 MiB at least, are kept back: for what this process needs beside its buffers (code, trace,
/// page tables, the driver's own), for what others take meanwhile, and because systems that are
/// nearly full reclaim memory all the time. Reads proc and sys below `root`.
FreeMemory free_memory(const Backends& backends, const std::filesystem::path& root);

}  // namespace normbench
