/// Buffers of a case: which values share one, where their bytes come from, how many they take when
/// each turn places them anew, and what a cache still has when one is used again.
#pragma once

#include <cstddef>
#include <span>

#include "plan/case.h"

namespace normbench {

/// The stage that wrote the bytes of value `index`, passed on untouched since; -1: it is an input.
int writer_of(const Case& planned, int index);

/// The value whose own buffer holds value `index`, through all that works in place or passes on.
int buffer_of(const Case& planned, int index);

/// The stage that wrote over value `index` after it was made; null while it is whole.
const Stage* overwriter_of(const Case& planned, int index);

/// The output of the last `register` that no `unregister` has undone; -1 for none.
int registered_value(const Case& planned);

/// True if a `register` page-locked the value and an `unregister` undid it.
bool is_unregistered(const Case& planned, int index);

/// True for two kinds of host memory, and for device memory twice: the same side of the link.
constexpr bool same_side(Memory a, Memory b) { return host_reaches(a) == host_reaches(b); }

/// Bytes that stages [first, end) touch on the side of `side`: each buffer once, in whole lines.
std::int64_t touched_bytes(const Case& planned, int first, int end, Memory side,
                           std::size_t line = 1);

/// Sets `resident` of every stage that finds its inputs in the last cache (`cache_bytes`) of their
/// memory: earlier stages of the iteration wrote them, and everything touched there since fits,
/// this stage's outputs included. Only for cold buffers.
void mark_resident(Case& planned, const Sides& cache_bytes);

/// Sets `reuse_bytes` and `read_next` in the signatures of stages on the CPU: bytes touched before
/// a later stage on the CPU reads the output. Where none does, hot buffers are used again after an
/// iteration, cold ones leave every cache. An output in its input's buffer is used at once.
void note_reuse(Case& planned, Cache cache);

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
  int buffer = 0;          // the slot that holds the bytes: itself, but for InPlace
  int first_stage = 0;     // Fresh: allocated before this stage …
  int last_stage = 0;      // … and freed after this one
  bool near_link = false;  // pageable memory near the device's link, apart from other
};

/// The slots of a case: its values, then each stage's scratch memory. A peer's outputs are None.
std::vector<Slot> storage_of(const Case& planned);

/// True if the slot's bytes lie in the group's arena of this kind, near the link or not.
inline bool is_placed(const Slot& slot, Memory memory, bool near_link) {
  return slot.kind == Slot::Kind::Placed && slot.memory == memory && slot.near_link == near_link;
}

/// The sizes of the buffers that one set takes from that arena, in slot order.
std::vector<std::size_t> placed_sizes(const std::vector<Slot>& slots, Memory memory,
                                      bool near_link);

/// The alignment of buffers: a host's cache line, or what a device's allocators give.
constexpr std::size_t alignment_of(Memory memory) { return host_reaches(memory) ? 64 : 512; }

/// `bytes` rounded up to whole lines.
constexpr std::size_t whole_lines(std::size_t bytes, std::size_t line = 64) {
  return (bytes + line - 1) / line * line;
}

/// The gap before a buffer is below this: 4 KiB; less for tiny ones, which would be mostly gaps.
std::size_t gap_limit(std::size_t bytes, std::size_t line);

/// Bytes for any random placement of `sets` sets of buffers of these sizes; SIZE_MAX if too many.
std::size_t placement_bytes(std::span<const std::size_t> sizes, std::size_t sets,
                            std::size_t line = 64);

}  // namespace normbench
