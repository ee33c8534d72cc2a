/// Through the cache, or past it: which stores suit an output.
#pragma once

#include "backend/backend.h"
#include "backend/cpu/elementwise.h"

namespace normbench {

/// Bytes that this many cores store to and soon find again faster than in memory, given the data
/// caches (bytes, nearest first): the last-level cache, but the caches before it where it is larger
/// than what a cluster of cores has to itself (100 MiB). Such a one is spread over a socket and
/// shared with all that runs there: on one of 260 MiB, non-temporal stores win from 4 MB on.
std::int64_t kept_bytes(const std::vector<std::int64_t>& caches, int threads);

/// Non-temporal where 1.5 times what caches keep goes by before the output is used again, and its
/// pages are mapped: into fresh pages, which the kernel has just zeroed in the cache, they lose.
Stores choose_stores(const Signature& signature, const std::vector<std::int64_t>& caches,
                     int threads);

/// The rule in words: "non-temporal from 3.0 MiB on when pages are mapped (1.5 x L2 of 2 MiB x 1
/// thread: the 260 MiB L3 is shared)".
std::string explain_stores(const std::vector<std::int64_t>& caches, int threads);

/// The stores that a row uses on a team of this many threads.
using StoresRule = std::function<Stores(int threads)>;

/// What choose_stores says on this machine.
StoresRule suitable_stores(const Signature& signature);
/// Rules that always go through the cache, as plain loops do, or always past it.
StoresRule normal_stores(const Signature& signature);
StoresRule non_temporal_stores(const Signature& signature);

}  // namespace normbench
