/// Which machine and which process this is: all that a reader needs to judge a number.
#pragma once

#include <filesystem>
#include <string>

#include "core/json.h"

namespace normbench {

/// The machine: CPU, caches, cores, affinity, binding of threads, container limits, governor,
/// memory, THP, kernel, load, date (UTC), host (or `machine` unless empty). What cannot be read is
/// null.
Json environment(const std::string& machine);

/// The facts of this binary: name, version, revision, build type, compiler, flags, sanitizers.
Json tool();

/// How many threads this process may use: by affinity and the container's CPU quota, at least 1.
int available_threads();

// What the files below /proc and /sys say; `root` is "/" but in tests. What cannot be read is null.

/// The CPU's model, flags that choose kernels, virtualised, governor (and why there is none).
Json cpu_facts(const std::filesystem::path& root);

/// The members total_bytes, available_bytes, transparent_huge_pages ("always", "madvise", "never").
Json memory_facts(const std::filesystem::path& root);

/// The load averages over 1, 5 and 15 minutes.
Json load_facts(const std::filesystem::path& root);

}  // namespace normbench
