/// Facts about this machine and this process that a reader needs to judge a number.
#pragma once

#include <filesystem>
#include <string>

#include "core/json.h"

namespace normbench {

/// Returns the facts of the machine: CPU, caches, cores, affinity, binding of threads, container
/// limits, governor, memory, THP, kernel, load, date (UTC), and the host's name (or `machine`, if
/// that is not empty). A fact that cannot be read is null.
Json environment(const std::string& machine);

/// Returns the facts of this binary: name, version, revision, build type, compiler, flags,
/// sanitizers.
Json tool();

/// Returns how many threads this process may use by its affinity and the container's CPU quota; at
/// least 1.
int available_threads();

// The functions below read files of /proc and /sys below `root`, which is "/" except in tests. A
// fact that cannot be read is null.

/// Returns the CPU's model, those of its flags by which libraries choose kernels (instruction
/// sets), whether it is virtualised, and its governor or why none is known.
Json cpu_facts(const std::filesystem::path& root);

/// Returns the members total_bytes, available_bytes, transparent_huge_pages ("always", "madvise",
/// "never").
Json memory_facts(const std::filesystem::path& root);

/// Returns the load averages over 1, 5 and 15 minutes.
Json load_facts(const std::filesystem::path& root);

}  // namespace normbench
