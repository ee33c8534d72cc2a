/// Computes how much memory cases need when they are measured together.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "plan/case.h"

namespace normbench {

/// Returns the number of buffer sets that a group rotates through on one side of the link. It is at
/// least the number of items in flight. Cold buffers have so many sets that every contender, even
/// the one that touches the fewest bytes of a set, touches over three times the cache size in
/// all sets together. Cases with `resident` do not count.
std::int64_t buffer_sets(std::span<const Case* const> cases, Cache cache, Memory side,
                         std::int64_t cache_bytes);

/// Returns the bytes of one copy of a case's inputs, each rounded up to whole lines.
std::int64_t input_bytes(const Case& planned);

/// Returns how many equal copies of a case's inputs there are: 1 for hot buffers or a resident
/// case, and otherwise enough to exceed the cache threefold.
std::int64_t source_copies(const Case& planned, Cache cache, std::int64_t cache_bytes);

/// Returns true if two cases with inputs read the same copies.
bool share_inputs(const Case& one, const Case& other);

/// Returns the size in bytes of each arena that cases share. The key is its memory and whether it
/// is near the link. The size of an arena is the largest size that one of the cases needs. `sets`
/// is the number of buffer sets on each side.
std::map<std::pair<Memory, bool>, std::size_t> arenas_of(std::span<const Case* const> cases,
                                                         const Sides& sets);

/// Returns the number of images that a check of the case takes at a time: at most 1 million values
/// over all stages, but at least one image. Returns all images if outputs are sums over the batch.
std::int64_t slab_images(const Case& planned);

/// Returns the number of rows of an image that the check of a row-wise case takes at a time. The
/// values computed from so few rows stay in a cache of the core.
std::int64_t part_rows(const Case& planned);

/// Bytes that cases need together.
struct MemoryNeed {
  Sides kept;  // for the whole run of the group: copies of sources, arenas, peers' buffers
  // The most that is needed at a time on top of `kept`: fresh outputs, checks, addresses.
  Sides passing;

  Sides total() const {
    return {.host = kept.host + passing.host, .device = kept.device + passing.device};
  }
};

/// Returns the memory of these cases when they take turns. No figure exceeds 2^61.
MemoryNeed memory_need(std::span<const Case* const> cases, Cache cache, const Sides& cache_bytes);

/// Returns the bytes of memory that a group's runnable cases and limits need. `cache_bytes` is the
/// size of the last cache of each memory, which cold buffers must exceed threefold.
Sides memory_bytes(const Group& group, const Measure& measure, const Sides& cache_bytes);

}  // namespace normbench
