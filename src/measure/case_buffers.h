/// The addresses of a case's values and temporaries, in every buffer set of its group. Placed
/// buffers lie in the group's arenas; fresh buffers are allocated in each iteration.
#pragma once

#include <array>
#include <random>
#include <span>
#include <vector>

#include "measure/group_memory.h"

namespace normbench {

/// The buffers that an iteration uses: the index of the source's copy, of the host's buffer set,
/// and of the device's buffer set.
using BufferSlots = std::array<std::size_t, 3>;

/// A byte with which buffers are filled before a call, so that a check finds what the call does not
/// write.
struct Poison {
  std::byte pattern;
  /// Each buffer has `parts` equal parts; only part `part` is filled. A part is the whole buffer,
  /// or one image of a batch.
  std::int64_t part = 0, parts = 1;

  std::span<std::byte> of(std::byte* data, std::size_t bytes) const;
};

class CaseBuffers {
 public:
  /// Throws std::runtime_error when a kind of memory cannot be allocated.
  CaseBuffers(const Case& planned, GroupMemory& memory, const Backends& backends);

  const std::vector<Slot>& slots() const { return slots_; }
  /// Returns the slot that owns the buffer of `slot`. That is another slot if a stage works in
  /// place, else `slot` itself.
  std::size_t root(std::size_t slot) const { return roots_[slot]; }
  bool is_output(std::size_t root) const;

  /// Draws new addresses for all placed buffers of all sets. If a kind of memory has more than
  /// 65,536 buffers, they keep the addresses of the first call: each turn uses other buffers
  /// anyway. Call only while no work is in flight.
  void place(std::mt19937_64& random);
  /// Returns the address of the slot in these buffers. The slot must not be a fresh one.
  std::byte* address(std::size_t slot, const BufferSlots& in) const;
  /// Fills the placed buffers of these sets with the pattern. Call only while no work is in flight.
  void poison(const BufferSlots& in, const Poison& poison) const;
  /// Returns the buffers of iteration number `iteration`, for a case that runs one iteration after
  /// another.
  BufferSlots slots_of(std::size_t iteration) const;
  /// Returns the buffers of an item in flight. Each of the `flights` items that can be in flight at
  /// once has a seat, numbered `flight`, with buffer sets of its own. `round`: how often the seat
  /// was used before.
  BufferSlots slots_of_flight(std::size_t flight, std::size_t flights, std::size_t round) const;
  /// Returns after how many iterations all buffers have been used: the largest number of copies or
  /// sets.
  std::size_t rotation() const;

 private:
  void place(Memory memory, bool near_link, std::mt19937_64& random);

  const Case& work_;
  GroupMemory& memory_;
  const Backends& backends_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> roots_;  // root of each slot
  SourceCopies source_;
  std::vector<std::byte*> addresses_;  // slot i in set s is at index s * slots + i
  bool is_placed_ = false;
};

}  // namespace normbench
