/// The memory that all contenders of a group share: the copies of their inputs, the arenas (memory
/// blocks) for their buffers, and the numbers of buffer sets. A buffer set has the buffers of one
/// iteration.
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

/// A block of memory of one kind. The constructor writes to every page, so that later writes do not
/// fault.
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

/// Draws offsets in bytes for the buffers of `sets` sets, which all lie in one arena of `capacity`
/// bytes. Element `s * sizes.size() + b` of the result is the offset of buffer b of set s. Offsets
/// are multiples of `line`. The buffers lie in random order with random gaps. A gap is below 4 KiB
/// and at most about as large as the buffer after it. The first buffer starts at a random offset
/// within the space that buffers and gaps leave free. `capacity` must be at least
/// placement_bytes().
std::vector<std::size_t> random_placement(std::span<const std::size_t> sizes, std::size_t sets,
                                          std::size_t capacity, std::mt19937_64& random,
                                          std::size_t line = 64);

/// Returns the sizes in bytes of two caches: the last-level cache of the host, and the cache of the
/// device. Cold buffers must be at least three times as large. If the device reports no cache, the
/// size for the host is used for both.
Sides cold_caches(const Backends& backends, std::int64_t last_level_cache_bytes);

/// The copies of the inputs of a case. Copy i of input k is at `first + i * stride + offsets[k]`.
/// With cold caches, the copies alone are at least three times as large as the cache, because
/// outputs that bypass the cache evict nothing from it. A resident case, whose buffers stay in the
/// cache, has one copy. It shares this copy only with other resident cases.
struct SourceCopies {
  std::byte* first = nullptr;
  std::size_t stride = 0;
  std::size_t count = 1;
  std::vector<std::size_t> offsets = {0};
};

/// An object that binds its thread to a NUMA node: while the object lives, pages that the thread
/// touches first come from that node. Null: nothing is bound.
using Bound = std::shared_ptr<void>;

/// The NUMA nodes from which the memory of a group comes, and the functions that make pages come
/// from these nodes. If a node is not known, the system chooses the node.
struct HostNodes {
  std::optional<int> link = {};   // the node to which the device is attached
  std::vector<int> of_team = {};  // by rank: the nodes of the threads of a team
  std::function<Bound(int node)> near = [](int node) { return std::make_shared<NearNode>(node); };
  Touch touch = &touch_pages;
};
HostNodes host_nodes(const Backends& backends);

/// Whether the copies of a source differ. Alike: all copies are equal. Unlike: in copy i, the
/// pixels of each image are moved on by i places (moved_on()). Then a check notices if a call
/// computed its result from the wrong copy. It cannot notice this if the order of the pixels does
/// not matter, as in a sum.
enum class Copies { Alike, Unlike };

/// Copies a dense tensor to `to`. Rotates the pixels of each image by `pixels` places in row-major
/// order: the last `pixels` pixels of the image become its first ones.
void moved_on(const View& from, std::byte* to, std::size_t pixels);

/// Owns the input copies and arenas of a group. Inputs are filled once and never written again.
/// Page-locked memory, and pageable memory that crosses the link between host and device, comes
/// from the NUMA node of the link. Other memory comes from the nodes of the threads that use it. If
/// a kind of memory cannot be allocated, only the contenders that need it fail.
class GroupMemory {
 public:
  GroupMemory(std::span<const Case* const> cases, const Measure& measure, const Backends& backends,
              std::int64_t cache_bytes, Copies copies = Copies::Unlike);
  GroupMemory(std::span<const Case* const> cases, const Measure& measure, const Backends& backends,
              std::int64_t cache_bytes, HostNodes nodes, Copies copies = Copies::Unlike);

  /// Returns the number of buffer sets in this kind of memory. It is the same for all kinds of host
  /// memory.
  std::size_t sets(Memory memory) const {
    return static_cast<std::size_t>(host_reaches(memory) ? sets_.host : sets_.device);
  }
  /// Returns the number of buffer sets that the case uses. A resident case, whose buffers stay in
  /// the cache, uses only the first set.
  std::size_t sets(const Case& planned, Memory memory) const {
    return planned.resident ? 1 : sets(memory);
  }
  std::size_t most_sets() const {
    return static_cast<std::size_t>(std::max(sets_.host, sets_.device));
  }
  /// Returns the number of the next iteration, counted over all contenders. This number decides
  /// which buffer sets and which copy of the inputs the iteration uses. Because the contenders
  /// share the count, the buffers stay cold from turn to turn.
  std::size_t next_iteration() { return iteration_++; }
  /// Returns the number that the next call of next_iteration() will return.
  std::size_t upcoming_iteration() const { return iteration_; }

  /// Returns the copies of the inputs of the case; no copies if the case loads files. Throws
  /// std::runtime_error if their memory could not be allocated or filled.
  SourceCopies inputs(const Case& planned);
  /// Returns an object that binds this thread to the NUMA node of the link while it lives. Returns
  /// null if that node is not known. Create and destroy the object outside of timed code, because
  /// both make system calls.
  Bound bind_near_link() const { return nodes_.link ? nodes_.near(*nodes_.link) : nullptr; }
  /// Returns the arena for this kind of memory; with `near_link`, the arena on the NUMA node of the
  /// link. Throws std::runtime_error with the reason if the arena could not be allocated.
  Arena& arena(Memory memory, bool near_link = false);

 private:
  struct Block {
    std::unique_ptr<Arena> arena;
    std::string error;  // why `arena` is null; "" if it is not null
  };
  struct SharedSource {
    const Case* first;  // the first case with these inputs
    std::size_t stride, count;
    std::vector<std::size_t> offsets;
    Block block;
  };

  void add_source(const Case& planned, const Measure& measure, int threads);
  void fill(const SharedSource& shared, std::uint64_t seed) const;
  /// Fills one copy of the inputs of a case with their values. `copy` is the address of the copy,
  /// which host code must be able to access.
  static void fill_inputs(const SharedSource& shared, std::byte* copy, std::uint64_t seed);
  void add_arenas(std::span<const Case* const> cases);
  Block make_block(Memory memory, std::size_t bytes, bool near_link, const TouchPlan& plan) const;
  std::vector<int> team_nodes(int threads) const;

  /// Fills copy number `copy` of the inputs, at address `to`, from the first copy, at address
  /// `first`. With Copies::Unlike, the pixels of copy number `copy` are moved on (moved_on()). Host
  /// code must be able to access both addresses.
  void fill_copy(const SharedSource& shared, std::byte* first, std::byte* to,
                 std::size_t copy) const;

  const Backends& backends_;
  HostNodes nodes_;
  Copies copies_;
  Sides caches_;  // sizes in bytes of the caches; the result of cold_caches()
  Sides sets_;    // numbers of buffer sets on the host and on the device
  std::size_t iteration_ = 0;
  std::map<std::string, SharedSource> sources_;  // by inputs_key()
  // By kind of memory, and by whether the arena is on the NUMA node of the link.
  std::map<std::pair<Memory, bool>, Block> arenas_;
};

}  // namespace normbench
