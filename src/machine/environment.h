/// What machine and process this is: everything a reader needs to judge a number.
#pragma once

#include <cstdint>
#include <string>

#include "core/json.h"

namespace normbench {

/// CPU, caches, cores, affinity, how threads are bound to CPUs, container limits, governor, memory,
/// THP, kernel, load, date (UTC), host (or `machine` in its stead, unless empty). What cannot be
/// read is null.
Json environment(const std::string& machine);

/// name, version, revision, build type, compiler, flags and sanitizers of this binary.
Json tool();

/// Bytes of the last-level cache, all its instances together (32 MiB where they cannot be read).
std::int64_t last_level_cache_bytes();

/// Threads this process may use: affinity and the container's CPU quota, at least 1.
int available_threads();

}  // namespace normbench
