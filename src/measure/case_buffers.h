/// Where the bytes of a case's values and temporaries lie, in every buffer set of its group.
#pragma once

#include <array>
#include <random>
#include <span>
#include <vector>

#include "measure/group_memory.h"

namespace normbench {

/// Which buffers an iteration uses: the copy of the source, the host's set, the device's set.
using BufferSlots = std::array<std::size_t, 3>;

/// What fills buffers before a call, so that what the call does not write is seen.
struct Poison {
  std::byte pattern;
  /// One of so many equal parts of each buffer is filled: an image of a batch, or all of it.
  std::int64_t part = 0, parts = 1;

  std::span<std::byte> of(std::byte* data, std::size_t bytes) const;
};

class CaseBuffers {
 public:
  /// Throws std::runtime_error when a kind of memory is not there.
  CaseBuffers(const Case& planned, GroupMemory& memory, const Backends& backends);

  const std::vector<Slot>& slots() const { return slots_; }
  /// The slot that holds the bytes of a slot.
  std::size_t root(std::size_t slot) const { return roots_[slot]; }
  bool is_output(std::size_t root) const;

  /// Draws where every placed buffer of every set lies from now on. Where there are tens of
  /// thousands it draws only once: each turn takes others of them. Call when drained.
  void place(std::mt19937_64& random);
  /// Where the slot lies in these buffers; not for a fresh slot.
  std::byte* address(std::size_t slot, const BufferSlots& in) const;
  /// Fills the placed buffers of a set. Call when drained.
  void poison(const BufferSlots& in, const Poison& poison) const;
  /// The buffers of an iteration, where iterations follow one another.
  BufferSlots slots_of(std::size_t iteration) const;
  /// The buffers of a flight, one of `flights`, in its turn `round`: flights share no sets.
  BufferSlots slots_of_flight(std::size_t flight, std::size_t flights, std::size_t round) const;
  /// The most iterations until one finds the buffers of the first, on either side.
  std::size_t rotation() const;

 private:
  void place(Memory memory, bool near_link, std::mt19937_64& random);

  const Case& work_;
  GroupMemory& memory_;
  const Backends& backends_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> roots_;  // of each slot
  SourceCopies source_;
  std::vector<std::byte*> addresses_;  // of slot i in set s at s * slots + i
  bool is_placed_ = false;
};

}  // namespace normbench
