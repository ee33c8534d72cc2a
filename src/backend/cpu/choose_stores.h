/// Through the cache, or past it: which stores suit an output.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/elementwise.h"

namespace normbench {

/// Bytes that this many cores store to and soon find again faster than in memory, given the sizes
/// of the caches, ascending: the last-level cache, but the caches before it where it is larger than
/// what a cluster of cores has to itself (100 MiB). Such a one is spread over a socket and shared
/// with all that runs there: on one of 260 MiB, non-temporal stores win from 4 MB on.
std::int64_t kept_bytes(const std::vector<std::int64_t>& cache_sizes, int threads);

/// Non-temporal where 1.5 times what caches keep goes by before the output is used again, and its
/// pages are mapped: into fresh pages, which the kernel has just zeroed in the cache, they lose.
Stores choose_stores(const Signature& signature, const std::vector<std::int64_t>& cache_sizes,
                     int threads);

}  // namespace normbench
