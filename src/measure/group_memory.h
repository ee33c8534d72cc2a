/// The memory that all contenders of a group share: sources, arenas, how many buffer sets, and
/// where in the arenas their buffers lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <utility>

#include "backend/backend.h"
#include "machine/numa.h"
#include "measure/page_touch.h"
#include "plan/buffers.h"
#include "plan/case.h"
#include "plan/memory.h"

namespace normbench {

/// One block of memory of one kind, every page of it touched.
class Arena {
 public:
  /// Throws std::runtime_error: "needs 3.2 GB of pageable memory: mmap: Cannot allocate memory".
  Arena(Backend& owner, Memory memory, std::size_t bytes, const TouchPlan& plan = {},
        const Touch& touch = &touch_pages);

  std::byte* data() { return allocation_->data(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<Allocation> allocation_;
  std::size_t bytes_;
};

/// Offsets of the buffers, that of buffer b of set s at s * sizes.size() + b. They are multiples of
/// `line` in random order with random gaps below 4 KiB, at most about as large as the buffer after
/// them, and start anywhere that they fit in `capacity` bytes (at least `placement_bytes`).
std::vector<std::size_t> random_placement(std::span<const std::size_t> sizes, std::size_t sets,
                                          std::size_t capacity, std::mt19937_64& random,
                                          std::size_t line = 64);

/// The caches that cold buffers must exceed threefold: the host's last level, and what the device
/// says of its own (the host's counts where it says nothing).
Sides cold_caches(const Backends& backends, std::int64_t last_level_cache_bytes);

/// Copies of a case's inputs: copy i of input k at first + i * stride + offsets[k]. Cold: so
/// many that the copies alone exceed three times the cache, since outputs written past the cache
/// push nothing out of it. Resident cases have one of their own.
struct SourceCopies {
  std::byte* first = nullptr;
  std::size_t stride = 0;
  std::size_t count = 1;
  std::vector<std::size_t> offsets = {0};
};

/// What holds a thread to a NUMA node while it lives.
using Bound = std::shared_ptr<void>;

/// The NUMA nodes that matter to a group's memory, and how pages come from them. With none known,
/// pages are as the system gives them to this thread.
struct HostNodes {
  std::optional<int> link = {};   // that a device's link is on
  std::vector<int> of_team = {};  // of the threads of a team, by rank
  std::function<Bound(int node)> near = [](int node) { return std::make_shared<NearNode>(node); };
  Touch touch = &touch_pages;
};
HostNodes host_nodes(const Backends& backends);

/// Alike: copies of a source are equal. Unlike: copy i has the pixels of each image i on, the last
/// ones first (`moved_on`), so that a result that was only remembered is wrong, unless it does not
/// depend on where pixels lie: sums over images, or images of one pixel.
enum class Copies { Alike, Unlike };

/// Copies the values of a dense tensor so that each image's pixels lie `pixels` on, in the order of
/// their rows, and those at the end come first.
void moved_on(const View& from, std::byte* to, std::size_t pixels);

/// Sources are filled once and never written again. Page-locked memory, and pageable memory that
/// crosses the link, comes from the link's node, other from the nodes of the threads that use it. A
/// kind of memory that cannot be allocated fails only the contenders that ask for it.
class GroupMemory {
 public:
  GroupMemory(std::span<const Case* const> cases, const Measure& measure, const Backends& backends,
              std::int64_t cache_bytes, Copies copies = Copies::Unlike);
  GroupMemory(std::span<const Case* const> cases, const Measure& measure, const Backends& backends,
              std::int64_t cache_bytes, HostNodes nodes, Copies copies = Copies::Unlike);

  /// Sets of buffers of this kind; all kinds of host memory have as many.
  std::size_t sets(Memory memory) const {
    return static_cast<std::size_t>(host_reaches(memory) ? sets_.host : sets_.device);
  }
  /// The number of sets that the case uses: a resident one stays on the first.
  std::size_t sets(const Case& planned, Memory memory) const {
    return planned.resident ? 1 : sets(memory);
  }
  std::size_t most_sets() const {
    return static_cast<std::size_t>(std::max(sets_.host, sets_.device));
  }
  /// Counts iterations of all contenders: sets and copies rotate by it, so that they stay cold from
  /// turn to turn.
  std::size_t next_iteration() { return iteration_++; }
  /// What next_iteration() will return.
  std::size_t upcoming_iteration() const { return iteration_; }

  /// The copies of the case's inputs. Throws std::runtime_error when there is no memory for them or
  /// it cannot be read.
  SourceCopies inputs(const Case& planned);
  /// While what it returns lives, pages that this thread touches first come from near the link;
  /// null where nothing is far from it. Costs calls of the system: for none of them to be timed,
  /// all that allocates host memory for the link is done while it lives.
  Bound bind_near_link() const { return nodes_.link ? nodes_.near(*nodes_.link) : nullptr; }
  /// The arena of this kind. Throws std::runtime_error saying why there is none.
  Arena& arena(Memory memory, bool near_link = false);

 private:
  struct Block {
    std::unique_ptr<Arena> arena;
    std::string error;
  };
  struct SharedSource {
    const Case* first;  // of those that share it
    std::size_t stride, count;
    std::vector<std::size_t> offsets;
    Block block;
  };

  void add_source(const Case& planned, const Measure& measure, int threads);
  void fill(const SharedSource& shared, std::uint64_t seed) const;
  /// Fills a copy in memory that host code reads.
  static void fill_inputs(const SharedSource& shared, std::byte* copy, std::uint64_t seed);
  void add_arenas(std::span<const Case* const> cases);
  Block make_block(Memory memory, std::size_t bytes, bool near_link, const TouchPlan& plan) const;
  std::vector<int> team_nodes(int threads) const;
  SharedSource* find(const Case& planned);

  /// Fills one copy from the inputs at `first`, which lie in memory that host code reads.
  void fill_copy(const SharedSource& shared, std::byte* first, std::byte* to,
                 std::size_t copy) const;

  const Backends& backends_;
  HostNodes nodes_;
  Copies copies_;
  Sides caches_;
  Sides sets_;  // how many on each side
  std::size_t iteration_ = 0;
  std::vector<SharedSource> sources_;
  std::map<std::pair<Memory, bool>, Block> arenas_;  // by kind, and whether near the link
};

}  // namespace normbench
