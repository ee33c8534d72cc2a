/// The memory that all contenders of a group share: copies of sources, arenas for buffers, and the
/// numbers of buffer sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "backend/backend.h"
#include "machine/numa.h"
#include "measure/page_touch.h"
#include "plan/buffers.h"
#include "plan/case.h"
#include "plan/memory.h"

namespace normbench {

/// One block of memory of one kind. The constructor touches every page.
class Arena {
 public:
  /// Throws std::runtime_error if the memory cannot be allocated, with a message like "needs 3.2 GB
  /// of pageable memory: mmap: Cannot allocate memory".
  Arena(Backend& owner, Memory memory, std::size_t bytes, const TouchPlan& plan = {},
        const Touch& touch = &touch_pages);

  std::byte* data() { return allocation_->data(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<Allocation> allocation_;
  std::size_t bytes_;
};

/// Draws offsets in bytes for the buffers of `sets` sets. Element `s * sizes.size() + b` is the
/// offset of buffer b of set s. Offsets are multiples of `line`. Buffers lie in random order with
/// random gaps; a gap is below 4 KiB and at most about as large as the buffer after it. The first
/// buffer starts at a random offset within the space that buffers and gaps leave free. `capacity`,
/// in bytes, is at least placement_bytes().
std::vector<std::size_t> random_placement(std::span<const std::size_t> sizes, std::size_t sets,
                                          std::size_t capacity, std::mt19937_64& random,
                                          std::size_t line = 64);

/// Returns the sizes in bytes of the caches that cold buffers must exceed threefold: the host's
/// last-level cache, and the device's cache. If the device reports no cache, the host's size stands
/// for both.
Sides cold_caches(const Backends& backends, std::int64_t last_level_cache_bytes);

/// Copies of a case's inputs: copy i of input k is at first + i * stride + offsets[k]. For cold
/// caches the copies alone are at least three times as large as the cache, since outputs that
/// bypass the cache evict nothing from it. A resident case has one copy, shared only with other
/// resident cases.
struct SourceCopies {
  std::byte* first = nullptr;
  std::size_t stride = 0;
  std::size_t count = 1;
  std::vector<std::size_t> offsets = {0};
};

/// An object that binds the thread that made it to a NUMA node: while the object lives, pages that
/// the thread touches first come from that node. Null: nothing is bound.
using Bound = std::shared_ptr<void>;

/// The NUMA nodes for a group's memory, and the functions that get pages from them. If no node is
/// known, the system chooses.
struct HostNodes {
  std::optional<int> link = {};   // the node of a device's link
  std::vector<int> of_team = {};  // the nodes of a team's threads, by rank
  std::function<Bound(int node)> near = [](int node) { return std::make_shared<NearNode>(node); };
  Touch touch = &touch_pages;
};
HostNodes host_nodes(const Backends& backends);

/// Alike: the copies of a source are equal. Unlike: copy i has the pixels of each image moved on by
/// i (moved_on()), so that a check finds a result that was kept from another copy. The check cannot
/// find it if the result does not depend on the positions of pixels, like a sum over an image.
enum class Copies { Alike, Unlike };

/// Copies a dense tensor to `to`, and moves each image's pixels on by `pixels` places in row order.
/// Pixels that are moved past the end of an image come at its start.
void moved_on(const View& from, std::byte* to, std::size_t pixels);

/// Owns the sources and arenas of a group. Sources are filled once and never written again.
/// Page-locked memory, and pageable memory that crosses the link, comes from the NUMA node of the
/// link. Other memory comes from the nodes of the threads that use it. If a kind of memory cannot
/// be allocated, only the contenders that ask for it fail.
class GroupMemory {
 public:
  GroupMemory(std::span<const Case* const> cases, const Measure& measure, const Backends& backends,
              std::int64_t cache_bytes, Copies copies = Copies::Unlike);
  GroupMemory(std::span<const Case* const> cases, const Measure& measure, const Backends& backends,
              std::int64_t cache_bytes, HostNodes nodes, Copies copies = Copies::Unlike);

  /// The number of buffer sets in this kind of memory. All kinds of host memory have the same
  /// number.
  std::size_t sets(Memory memory) const {
    return static_cast<std::size_t>(host_reaches(memory) ? sets_.host : sets_.device);
  }
  /// The number of buffer sets that the case uses. A resident case uses only the first.
  std::size_t sets(const Case& planned, Memory memory) const {
    return planned.resident ? 1 : sets(memory);
  }
  std::size_t most_sets() const {
    return static_cast<std::size_t>(std::max(sets_.host, sets_.device));
  }
  /// Returns the number of the next iteration, counted over all contenders. Buffer sets and copies
  /// rotate by this number, so that they stay cold from turn to turn.
  std::size_t next_iteration() { return iteration_++; }
  /// The number that the next call of next_iteration() returns.
  std::size_t upcoming_iteration() const { return iteration_; }

  /// Returns the copies of the case's inputs; none if it loads files. Throws std::runtime_error if
  /// their memory could not be allocated or filled.
  SourceCopies inputs(const Case& planned);
  /// While the returned object lives, pages that this thread touches first come from the link's
  /// node. Null if that node is not known. Construct and destroy the object outside of timed code,
  /// because both make system calls.
  Bound bind_near_link() const { return nodes_.link ? nodes_.near(*nodes_.link) : nullptr; }
  /// Returns the arena for this kind of memory; with `near_link`, the arena on the link's NUMA
  /// node. Throws std::runtime_error with the reason if it could not be allocated.
  Arena& arena(Memory memory, bool near_link = false);

 private:
  struct Block {
    std::unique_ptr<Arena> arena;
    std::string error;
  };
  struct SharedSource {
    const Case* first;  // the first case that uses this source
    std::size_t stride, count;
    std::vector<std::size_t> offsets;
    Block block;
  };

  void add_source(const Case& planned, const Measure& measure, int threads);
  void fill(const SharedSource& shared, std::uint64_t seed) const;
  /// Fills one copy of a case's inputs, which lies at `copy` in memory that host code can access.
  static void fill_inputs(const SharedSource& shared, std::byte* copy, std::uint64_t seed);
  void add_arenas(std::span<const Case* const> cases);
  Block make_block(Memory memory, std::size_t bytes, bool near_link, const TouchPlan& plan) const;
  std::vector<int> team_nodes(int threads) const;

  /// Fills copy number `copy` at `to` from the inputs at `first`. Host code can access both.
  void fill_copy(const SharedSource& shared, std::byte* first, std::byte* to,
                 std::size_t copy) const;

  const Backends& backends_;
  HostNodes nodes_;
  Copies copies_;
  Sides caches_;
  Sides sets_;  // the number of buffer sets on each side of the link
  std::size_t iteration_ = 0;
  std::map<std::string, SharedSource> sources_;  // by inputs_key()
  // By kind of memory, and by whether the arena is near the link.
  std::map<std::pair<Memory, bool>, Block> arenas_;
};

}  // namespace normbench
