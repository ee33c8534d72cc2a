/// Computes how much memory cases need when they are measured together.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plan/case.h"

namespace normbench {

/// A buffer set has the buffers of one iteration. Returns how many buffer sets the cases use in
/// rotation in the memory of `side` (host or device). This number is at least the number of items
/// in flight. With cold buffers it is so large that each case touches more than three times
/// `cache_bytes` in one pass through all sets. Cases with `resident`, whose buffers stay in a
/// cache, do not count.
std::int64_t buffer_sets(std::span<const Case* const> cases, Cache cache, Memory side,
                         std::int64_t cache_bytes);

/// Returns the bytes of one copy of the inputs of a case. The size of each input is rounded up to a
/// multiple of alignment_of() for its memory.
std::int64_t input_bytes(const Case& planned);

/// Returns the number of equal copies of a case's inputs. It is 1 for hot buffers and for a case
/// with `resident`. For any other case, the copies together exceed three times `cache_bytes`.
std::int64_t source_copies(const Case& planned, Cache cache, std::int64_t cache_bytes);

/// Returns a text with everything on which the copies of a case's inputs depend, such as the shapes
/// and seeds of the sources. If two cases have inputs and equal texts, they can read the same
/// copies.
std::string inputs_key(const Case& planned);

/// Returns the size in bytes of each arena, the memory that holds buffer sets. The key is the
/// memory kind, and whether the arena is on the NUMA node of the device. All cases use the same
/// arenas, one case after the other, so an arena has the size for the case that needs the most.
/// `sets` is the number of buffer sets on each side.
std::map<std::pair<Memory, bool>, std::size_t> arenas_of(std::span<const Case* const> cases,
                                                         const Sides& sets);

/// Returns the number of images that are checked at a time. All values of the case for these images
/// have at most 1 million elements together, but the result is at least 1. If outputs depend on the
/// whole batch, returns the number of all images.
std::int64_t slab_images(const Case& planned);

/// Returns the number of rows that are checked at a time if Case::row_wise() is true. It is so
/// small that their values stay in the cache of a core.
std::int64_t part_rows(const Case& planned);

struct MemoryNeed {
  // The need during the whole group: copies of sources, arenas, buffers of peers.
  Sides kept;
  // The largest need at any time on top of `kept`: fresh outputs, checks, addresses of buffers.
  Sides passing;

  Sides total() const {
    return {.host = kept.host + passing.host, .device = kept.device + passing.device};
  }
};

/// Bytes of host and device memory. They are doubles, because products could overflow integers.
struct Amounts {
  double host = 0, device = 0;

  double& of(Memory memory) { return host_reaches(memory) ? host : device; }
  Amounts& operator+=(const Amounts& more) {
    host += more.host;
    device += more.device;
    return *this;
  }
};

/// The memory that one case adds to the need of its group. "Set" means a buffer set (see
/// buffer_sets()).
struct CaseMemory {
  /// The buffers of one set in an arena.
  struct Arena {
    Memory memory = Memory::Pageable;
    bool near_link = false;
    std::size_t bytes = 0;
  };

  std::string inputs = {};  // inputs_key(); "" without inputs
  Memory inputs_memory = Memory::Pageable;
  std::int64_t input_bytes = 0;  // of one copy of the inputs
  bool resident = false;
  std::int64_t in_flight = 1;
  // Bytes of host memory and of device memory that an iteration touches in a set. 0: all iterations
  // use the same buffers in that memory.
  Sides rotating = {};
  std::vector<Arena> arenas = {};
  // Bytes in the process of a peer, if one runs the case. `peer_inputs`: one copy of the inputs.
  // `peer_results`: outputs that live as long as a copy of the inputs. `peer_once`: all other
  // values.
  Amounts peer_inputs = {}, peer_results = {}, peer_once = {};
  Amounts held = {};        // bytes that are held until the group ends
  double held_per_set = 0;  // bytes in device memory, for each set there
  double slots = 0;         // number of addresses that are kept for each set
  double passing = 0;       // bytes in host memory, while the case runs or is checked
  double placed = 0;        // number of buffers in each set that lie in an arena
};

/// Returns the memory of a case if a team of `threads` threads checks its outputs.
CaseMemory memory_of(const Case& planned, int threads);

/// Adds up the memory of cases that take turns in one group.
class MemorySum {
 public:
  MemorySum(Cache cache, const Sides& cache_bytes) : cache_(cache), cache_bytes_(cache_bytes) {}

  void add(const CaseMemory& one);
  /// Returns the memory that the cases added so far need. No number exceeds 2^61.
  MemoryNeed need() const;

 private:
  Sides sets() const;

  Cache cache_;
  Sides cache_bytes_;
  std::int64_t in_flight_ = 1;
  Sides least_rotating_;                    // 0: no buffers rotate on that side
  std::unordered_set<std::string> inputs_;  // each is counted once
  // For each arena, the most bytes of a set of any case. The first number is for the cases that
  // rotate through sets, the second for the resident cases.
  std::map<std::pair<Memory, bool>, std::pair<std::size_t, std::size_t>> arenas_;
  Amounts kept_, held_;
  double held_per_set_ = 0, slots_ = 0;
  std::map<double, double> passing_;  // largest `passing` by number of placed buffers
};

/// Returns the memory that these cases need if they take turns. No number exceeds 2^61.
MemoryNeed memory_need(std::span<const Case* const> cases, Cache cache, const Sides& cache_bytes);

/// Returns the bytes that the runnable cases and limits of a group need together. `cache_bytes` is
/// the size of the last-level cache on each side.
Sides memory_bytes(const Group& group, const Measure& measure, const Sides& cache_bytes);

}  // namespace normbench
