/// Where the bytes of a case's values and temporaries come from.
#pragma once

#include <cstddef>

#include "plan/plan.h"

namespace normbench {

/// Fresh pageable outputs of at least this size come from the operating system. Smaller ones come
/// from a recycled arena, as in malloc and eager frameworks. CUDA's memory is new at any size.
inline constexpr std::size_t fresh_mmap_bytes = 32u << 20;

/// The bytes of one value, or of one stage's scratch memory.
struct Slot {
  enum class Kind { None, Source, Placed, Fresh, InPlace };

  Kind kind = Kind::None;
  Memory memory = Memory::Pageable;
  std::size_t bytes = 0;
  OutputPolicy policy = OutputPolicy::Reuse;
  int in_place_of = -1;    // the value whose bytes these are
  int first_stage = 0;     // Fresh: allocated before this stage …
  int last_stage = 0;      // … and freed after this one
  bool near_link = false;  // pageable memory near the device's link, apart from other
};

/// The slots of a case: its values, then each stage's scratch memory. A peer's outputs are None.
std::vector<Slot> storage_of(const Case& work);

/// True if the slot's bytes lie in the group's arena of this kind, near the link or not.
inline bool is_placed(const Slot& slot, Memory memory, bool near_link) {
  return slot.kind == Slot::Kind::Placed && slot.memory == memory && slot.near_link == near_link;
}

/// The sizes of the buffers that one set takes from that arena, in slot order.
std::vector<std::size_t> placed_sizes(const std::vector<Slot>& slots, Memory memory,
                                      bool near_link);

/// The slot that holds the bytes of slot `index`, through all stages in place or passing on.
int root_of(const std::vector<Slot>& slots, int index);

}  // namespace normbench
