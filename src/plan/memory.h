/// Computes how much memory cases need when they are measured together.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "plan/case.h"

namespace normbench {

/// Returns the number of buffer sets that the cases rotate through on the side of `side` (host or
/// device). It is at least the number of items in flight. With cold buffers it is large enough that
/// each case touches more than three times `cache_bytes` in a round through all sets. Cases with
/// `resident` do not count.
std::int64_t buffer_sets(std::span<const Case* const> cases, Cache cache, Memory side,
                         std::int64_t cache_bytes);

/// Returns the bytes of one copy of the inputs of a case, each input rounded up to alignment_of()
/// its memory.
std::int64_t input_bytes(const Case& planned);

/// Returns the number of equal copies of a case's inputs: 1 for hot buffers or a resident case, and
/// otherwise enough to exceed `cache_bytes` threefold.
std::int64_t source_copies(const Case& planned, Cache cache, std::int64_t cache_bytes);

/// Returns true if two cases with inputs can read the same copies, because their inputs are equal.
bool share_inputs(const Case& one, const Case& other);

/// Returns the size in bytes of each arena, by its memory and whether it is near the link. All
/// cases use the same arenas in turn, so an arena has the size for the case that needs the most.
/// `sets` is the number of buffer sets on each side.
std::map<std::pair<Memory, bool>, std::size_t> arenas_of(std::span<const Case* const> cases,
                                                         const Sides& sets);

/// Returns the number of images that are checked at a time: as many as have at most 1 million
/// values over all stages, but at least one. If outputs are sums over the batch, returns all
/// images.
std::int64_t slab_images(const Case& planned);

/// Returns the number of rows that are checked at a time in a row-wise case, so that their values
/// stay in the cache of a core.
std::int64_t part_rows(const Case& planned);

struct MemoryNeed {
  Sides kept;  // during the whole group: copies of sources, arenas, buffers of peers
  // The largest need at any time on top of `kept`: fresh outputs, checks, addresses.
  Sides passing;

  Sides total() const {
    return {.host = kept.host + passing.host, .device = kept.device + passing.device};
  }
};

/// Returns the memory that these cases need if they take turns. No number exceeds 2^61.
MemoryNeed memory_need(std::span<const Case* const> cases, Cache cache, const Sides& cache_bytes);

/// Returns the bytes that the runnable cases and limits of a group need together. `cache_bytes` is
/// the size of the last cache on each side.
Sides memory_bytes(const Group& group, const Measure& measure, const Sides& cache_bytes);

}  // namespace normbench
