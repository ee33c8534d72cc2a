/// The addresses of the buffers of a case: of its values (tensors) and of the scratch memory of its
/// stages. A buffer set has all buffers of one iteration. With cold caches, successive iterations
/// use different buffer sets. Placed buffers lie in arenas (blocks of memory that all cases of a
/// group share). Fresh buffers are allocated in each iteration.
#pragma once

#include <array>
#include <random>
#include <span>
#include <vector>

#include "measure/group_memory.h"

namespace normbench {

/// Identifies the buffers that an iteration uses. The three elements are the indices of the copy of
/// the source, of the buffer set on the host, and of the buffer set on the device.
using BufferSlots = std::array<std::size_t, 3>;

/// A byte with which buffers are filled before a call, so that a check finds elements that the call
/// does not write.
struct Poison {
  std::byte pattern;
  /// Each buffer is divided into `parts` equal parts, and only the part with index `part` is
  /// filled. A part is the whole buffer or one image of a batch.
  std::int64_t part = 0, parts = 1;

  std::span<std::byte> of(std::byte* data, std::size_t bytes) const;
};

class CaseBuffers {
 public:
  /// Throws std::runtime_error when a kind of memory cannot be allocated.
  CaseBuffers(const Case& planned, GroupMemory& memory, const Backends& backends);

  const std::vector<Slot>& slots() const { return slots_; }
  /// Returns the slot that owns the buffer of `slot`. A slot is a value or the scratch memory of a
  /// stage. The result is another slot if a stage works in place, otherwise `slot` itself.
  std::size_t root(std::size_t slot) const { return roots_[slot]; }
  bool is_output(std::size_t root) const;

  /// Draws new addresses for the placed buffers of all buffer sets. If a kind of memory has more
  /// than 65,536 buffers, only the first call draws their addresses; successive turns use different
  /// buffers anyway. Call it only while no work is in flight.
  void place(std::mt19937_64& random);
  /// Returns the address of `slot` in the buffers `in`. The slot must not be fresh, because a fresh
  /// slot has memory only within an iteration.
  std::byte* address(std::size_t slot, const BufferSlots& in) const;
  /// Fills the placed buffers of `in` with the poison. Call it only while no work is in flight.
  void poison(const BufferSlots& in, const Poison& poison) const;
  /// Returns the buffers of iteration number `iteration` of a case that runs one iteration after
  /// another.
  BufferSlots slots_of(std::size_t iteration) const;
  /// Returns the buffers of an item of a pipeline. At most `flights` items are in flight at once,
  /// each in a seat with an index. `flight` is the index of this item's seat. The buffer sets are
  /// divided among the seats. `round` counts the items that have used this seat; successive items
  /// in a seat use successive sets of the seat.
  BufferSlots slots_of_flight(std::size_t flight, std::size_t flights, std::size_t round) const;
  /// Returns the number of iterations after which all buffers have been used. It is the number of
  /// copies of the source, of sets on the host, or of sets on the device, whichever is largest.
  std::size_t rotation() const;

 private:
  void place(Memory memory, bool near_link, std::mt19937_64& random);

  const Case& work_;
  GroupMemory& memory_;
  const Backends& backends_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> roots_;  // by slot: the slot that owns its buffer; see root()
  SourceCopies source_;
  std::vector<std::byte*> addresses_;  // slot i in set s is at index s * slots + i
  bool is_placed_ = false;             // true: place() was called
};

}  // namespace normbench
