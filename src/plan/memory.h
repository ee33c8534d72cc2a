/// How much memory cases take where they are measured together.
#pragma once

#include <cstdint>
#include <span>

#include "plan/plan.h"

namespace normbench {

/// Buffer sets a group rotates through on one side of the link. Cold: so many that even the
/// contender that touches least there goes through more than three times the cache; resident ones
/// do not count. Hot: one.
std::int64_t buffer_sets(std::span<const Case* const> cases, Cache cache, Memory side,
                         std::int64_t cache_bytes);

/// Equal copies of a case's source. Cold: so many that they alone exceed three times the cache;
/// one of a resident case. Hot: one.
std::int64_t source_copies(const Case& work, Cache cache, std::int64_t cache_bytes);

/// True if two cases with a source start from the same copies.
bool share_source(const Case& one, const Case& other);

/// What cases that are not skipped need.
struct MemoryNeed {
  Sides kept;  // copies of sources, arenas, peers' buffers: there from the first turn to the last
  Sides passing;  // at most beside them: fresh outputs, checks, addresses

  Sides total() const {
    return {.host = kept.host + passing.host, .device = kept.device + passing.device};
  }
};

/// The memory of these cases when they take turns. Each side's figures stay below 2^61.
MemoryNeed memory_need(std::span<const Case* const> cases, Cache cache, const Sides& cache_bytes);

/// The cases and limits of a group that are not skipped.
std::vector<const Case*> runnable(const Group& group);

}  // namespace normbench
