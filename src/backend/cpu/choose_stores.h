/// Chooses the stores for an output: through the cache or past it.
#pragma once

#include "backend/backend.h"
#include "backend/cpu/elementwise.h"

namespace normbench {

/// Returns how many bytes the caches of `threads` cores keep. Data of this size that was just
/// stored can be read again faster than from memory. `caches` are the sizes of the data caches in
/// bytes, nearest first.
/// - If `caches` is empty: 32 MiB.
/// - If there are several caches, and the last one has more than 100 MiB: `threads` times the size
///   of the cache before the last one. All programs on a socket share such a large cache.
/// - Otherwise: the size of the last-level cache.
std::int64_t kept_bytes(const std::vector<std::int64_t>& caches, int threads);

/// Returns NonTemporal if the pages of the output are mapped and `reuse_bytes` is at least 1.5
/// times kept_bytes(). Otherwise returns Normal. On fresh pages normal stores are faster, because
/// the operating system has just zeroed these pages in the cache.
Stores choose_stores(const Signature& signature, const std::vector<std::int64_t>& caches,
                     int threads);

/// Returns the rule of choose_stores() in words, like "non-temporal from 3 MiB on when pages are
/// mapped (1.5 x 2 MiB of cache x 1 thread: the last-level cache of 260 MiB is shared)".
std::string explain_stores(const std::vector<std::int64_t>& caches, int threads);

/// The rule of one kernel row (an implementation of an op). It returns the stores that the row uses
/// on a team of `threads` threads.
using StoresRule = std::function<Stores(int threads)>;

/// Returns the rule that calls choose_stores() with the caches of this machine.
StoresRule suitable_stores(const Signature& signature);
/// normal_stores() returns the rule that always stores through the cache, as plain loops do.
/// non_temporal_stores() returns the rule that always stores past it.
StoresRule normal_stores(const Signature& signature);
StoresRule non_temporal_stores(const Signature& signature);

}  // namespace normbench
