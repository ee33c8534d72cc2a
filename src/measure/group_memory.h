/// The memory that all contenders of a group share: sources, arenas, and how many buffer sets.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure/arena.h"
#include "measure/storage.h"
#include "plan/plan.h"

namespace normbench {

/// Buffer sets a group rotates through. Cold: so many that even the contender that touches least
/// goes through more than three times the cache. Hot: one.
std::int64_t buffer_sets(std::span<const Case* const> cases, Cache cache, std::int64_t cache_bytes);

/// Equal copies of a source: copy i at first + i * stride. Cold: so many that the copies alone
/// exceed three times the cache, since outputs written past the cache push nothing out of it.
struct SourceCopies {
  std::byte* first = nullptr;
  std::size_t stride = 0;
  std::size_t count = 1;
};

/// Sources are filled once and never written again. A kind of memory that
/// cannot be had is an error only for the contenders that ask for it.
class GroupMemory {
 public:
  GroupMemory(std::span<const Case* const> cases, const Measure& measure, const Backends& backends,
              std::int64_t cache_bytes);

  std::int64_t sets() const { return sets_; }
  /// Counts iterations of all contenders: sets and copies rotate by it, so that they stay cold from
  /// turn to turn.
  std::size_t next_iteration() { return iteration_++; }

  /// The source's copies. Throws std::runtime_error when there is no memory for them or it cannot
  /// be read.
  SourceCopies source(const Source& source);
  /// The arena of this kind. Throws std::runtime_error saying why there is none.
  Arena& arena(Memory memory);

 private:
  struct Block {
    std::unique_ptr<Arena> arena;
    std::string error;
  };
  struct SharedSource {
    Source source;
    std::size_t stride, count;
    Block block;
  };

  void add_source(const Source& source, const Measure& measure, std::int64_t cache_bytes);
  void add_arenas(std::span<const Case* const> cases);
  Block make_block(Memory memory, std::size_t bytes) const;
  SharedSource* find(const Source& source);

  const Backends& backends_;
  std::int64_t sets_;
  std::size_t iteration_ = 0;
  std::vector<SharedSource> sources_;
  std::map<Memory, Block> arenas_;
};

}  // namespace normbench
