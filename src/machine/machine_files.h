/// What the files below /proc and /sys say of this machine; `root` is "/" but in tests.
/// Whatever cannot be read is null.
#pragma once

#include <filesystem>

#include "core/json.h"

namespace normbench {

/// model, flags (those that choose kernels), virtualised, governor (and why there is none).
Json cpu_facts(const std::filesystem::path& root);

/// total_bytes, available_bytes, transparent_huge_pages ("always", "madvise", "never").
Json memory_facts(const std::filesystem::path& root);

/// Load averages over 1, 5 and 15 minutes.
Json load_facts(const std::filesystem::path& root);

}  // namespace normbench
