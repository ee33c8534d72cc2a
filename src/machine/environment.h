/// What machine and process this is: everything a reader needs to judge a number.
#pragma once

#include <filesystem>
#include <string>

#include "core/json.h"

namespace normbench {

/// CPU, caches, cores, affinity, how threads are bound to CPUs, container limits, governor, memory,
/// THP, kernel, load, date (UTC), host (or `machine` unless empty). What cannot be read is null.
Json environment(const std::string& machine);

/// name, version, revision, build type, compiler, flags and sanitizers of this binary.
Json tool();

/// Threads this process may use: affinity and the container's CPU quota, at least 1.
int available_threads();

// What the files below /proc and /sys say; `root` is "/" but in tests. What cannot be read is null.

/// model, flags (those that choose kernels), virtualised, governor (and why there is none).
Json cpu_facts(const std::filesystem::path& root);

/// total_bytes, available_bytes, transparent_huge_pages ("always", "madvise", "never").
Json memory_facts(const std::filesystem::path& root);

/// Load averages over 1, 5 and 15 minutes.
Json load_facts(const std::filesystem::path& root);

}  // namespace normbench
