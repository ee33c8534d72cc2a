/// How much memory cases need when they are measured together.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "plan/case.h"

namespace normbench {

/// The number of buffer sets that a group rotates through on one side of the link: at least one for
/// each item in flight. Hot: no more. Cold: so many that the contender that touches least there
/// exceeds the cache threefold; resident ones do not count.
std::int64_t buffer_sets(std::span<const Case* const> cases, Cache cache, Memory side,
                         std::int64_t cache_bytes);

/// Bytes of one copy of a case's inputs, each in whole lines.
std::int64_t input_bytes(const Case& planned);

/// Equal copies of a case's inputs. Cold: enough to exceed the cache threefold; resident, hot: one.
std::int64_t source_copies(const Case& planned, Cache cache, std::int64_t cache_bytes);

/// True if two cases with inputs start from the same copies.
bool share_inputs(const Case& one, const Case& other);

/// The bytes of the arenas that cases share, by kind of memory and whether near the link. Each is
/// as large as the case that needs most of it. `sets`: the number of buffer sets on each side.
std::map<std::pair<Memory, bool>, std::size_t> arenas_of(std::span<const Case* const> cases,
                                                         const Sides& sets);

/// Images that a case's check takes at a time: at most 1 million values of the whole chain, but at
/// least one image; all images where outputs are sums over the batch.
std::int64_t slab_images(const Case& planned);

/// Rows of an image that the check of a row-wise case takes at a time: few enough that all that is
/// made of them stays in a cache of the core.
std::int64_t part_rows(const Case& planned);

/// The bytes that cases need together.
struct MemoryNeed {
  Sides kept;     // from the first turn to the last: copies of sources, arenas, peers' buffers
  Sides passing;  // most beside them: fresh outputs, checks, addresses

  Sides total() const {
    return {.host = kept.host + passing.host, .device = kept.device + passing.device};
  }
};

/// The memory of these cases when they take turns. No figure exceeds 2^61.
MemoryNeed memory_need(std::span<const Case* const> cases, Cache cache, const Sides& cache_bytes);

/// Bytes of memory that a group's cases and limits need, skipped ones left out. `cache_bytes`: the
/// last cache of each memory, which cold buffers must exceed threefold.
Sides memory_bytes(const Group& group, const Measure& measure, const Sides& cache_bytes);

}  // namespace normbench
