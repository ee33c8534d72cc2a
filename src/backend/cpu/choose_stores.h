/// Chooses the stores for an output: through the cache or past it.
#pragma once

#include "backend/backend.h"
#include "backend/cpu/elementwise.h"

namespace normbench {

/// Returns how many bytes `threads` cores can store and soon read again faster than from memory.
/// `caches` are the sizes of the data caches in bytes, nearest first. The result is normally the
/// size of the last-level cache; 32 MiB if `caches` is empty. A last-level cache above 100 MiB is
/// spread over a socket and shared with all that runs there. The result is then `threads` times the
/// size of the next smaller cache. On a machine with a last-level cache of 260 MiB, non-temporal
/// stores are faster from 4 MB on.
std::int64_t kept_bytes(const std::vector<std::int64_t>& caches, int threads);

/// Returns NonTemporal if pages are mapped and `reuse_bytes` is at least 1.5 times kept_bytes().
/// Fresh pages get normal stores. They are faster there, because the operating system has just
/// zeroed these pages in the cache.
Stores choose_stores(const Signature& signature, const std::vector<std::int64_t>& caches,
                     int threads);

/// Returns the rule of choose_stores() in words, like "non-temporal from 3 MiB on when pages are
/// mapped (1.5 x 2 MiB of cache x 1 thread: the last-level cache of 260 MiB is shared)".
std::string explain_stores(const std::vector<std::int64_t>& caches, int threads);

/// Returns the stores that a row uses on a team of `threads` threads.
using StoresRule = std::function<Stores(int threads)>;

/// Returns the rule that calls choose_stores() with the caches of this machine.
StoresRule suitable_stores(const Signature& signature);
/// Return the rule that always stores through the cache, as plain loops do, and the rule that
/// always stores past it.
StoresRule normal_stores(const Signature& signature);
StoresRule non_temporal_stores(const Signature& signature);

}  // namespace normbench
