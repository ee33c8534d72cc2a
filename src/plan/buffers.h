/// Decides the buffers of a case: which values share a buffer, where the bytes of a value come
/// from, and how much memory a random placement takes. Also finds stages whose inputs are still in
/// a cache.
#pragma once

#include <cstddef>
#include <span>

#include "plan/case.h"

namespace normbench {

/// Returns the index of the stage that wrote the bytes of value `index`. Stages that only pass a
/// value on do not count. Returns -1 if the bytes are those of an input of the case.
int writer_of(const Case& planned, int index);

/// Returns the index of the value whose own buffer holds value `index`. The two differ after stages
/// that work in place or pass a value on.
int buffer_of(const Case& planned, int index);

/// Returns the first stage that overwrites value `index` after it was made; null if none does.
const Stage* overwriter_of(const Case& planned, int index);

/// Returns the output of the last `register` that no later `unregister` undoes; -1 if there is
/// none.
int registered_value(const Case& planned);

/// Returns true if a `register` page-locked the value and an `unregister` undid that.
bool is_unregistered(const Case& planned, int index);

/// Returns true if both kinds are host memory, or both are device memory.
constexpr bool same_side(Memory a, Memory b) { return host_reaches(a) == host_reaches(b); }

/// Returns the bytes of the buffers that stages [first, end) read or write on one side: the host or
/// the device, whichever `side` belongs to. Each buffer counts once, rounded up to whole lines.
std::int64_t touched_bytes(const Case& planned, int first, int end, Memory side,
                           std::size_t line = 1);

/// Sets `resident` of each stage: true if its inputs are still in the last cache of their memory.
/// That is so if earlier stages of the iteration wrote the inputs, and all bytes that stages
/// touched in that memory since, with this stage's outputs, fit into `cache_bytes`. Call it only
/// for cold buffers.
void mark_resident(Case& planned, const Sides& cache_bytes);

/// Sets two members in the signatures of stages on the CPU. `read_next` is true if a later stage on
/// the CPU reads the output. `reuse_bytes` is the number of host bytes touched from the writing of
/// the output to its next use:
/// - 0 if the output lies in the buffer of an input;
/// - if a later stage on the CPU reads the output: the bytes that the writing stage and the stages
///   before the reader touch;
/// - else, with hot buffers: the bytes that an iteration touches;
/// - else, with cold buffers: the largest integer.
void note_reuse(Case& planned, Cache cache);

/// A fresh pageable output of at least this many bytes is mapped from the operating system. A
/// smaller output comes from a recycled arena, as in malloc and eager frameworks. CUDA allocates
/// fresh outputs of any size anew.
inline constexpr std::size_t fresh_mmap_bytes = 32u << 20;

/// Where the bytes of one value, or of one stage's scratch memory, come from.
struct Slot {
  enum class Kind { None, Source, Placed, Fresh, InPlace };

  Kind kind = Kind::None;
  Memory memory = Memory::Pageable;
  std::size_t bytes = 0;
  OutputPolicy policy = OutputPolicy::Reuse;
  int buffer = 0;          // index of the slot with the bytes; another slot for InPlace
  int first_stage = 0;     // a Fresh slot is allocated before this stage …
  int last_stage = 0;      // … and freed after this one
  bool near_link = false;  // pageable memory near the device's link, in an arena of its own
};

/// Returns the slots of a case: its values, then the scratch memory of each stage. Values that a
/// peer makes have slots of kind None.
std::vector<Slot> storage_of(const Case& planned);

/// Returns true if the slot's bytes lie in the group's arena for this memory and `near_link`.
inline bool is_placed(const Slot& slot, Memory memory, bool near_link) {
  return slot.kind == Slot::Kind::Placed && slot.memory == memory && slot.near_link == near_link;
}

/// Returns the sizes, in bytes, of the buffers that one buffer set of a case takes from the arena
/// for this memory and `near_link`, in slot order.
std::vector<std::size_t> placed_sizes(const std::vector<Slot>& slots, Memory memory,
                                      bool near_link);

/// Returns the alignment of buffers, in bytes: a cache line on a host, and on a device what its
/// allocators guarantee.
constexpr std::size_t alignment_of(Memory memory) { return host_reaches(memory) ? 64 : 512; }

/// Returns `bytes` rounded up to whole lines.
constexpr std::size_t whole_lines(std::size_t bytes, std::size_t line = 64) {
  return (bytes + line - 1) / line * line;
}

/// Returns the limit of the random gap before a buffer, in bytes. It is 4 KiB, or the size of the
/// buffer in whole lines plus one line if that is less. A gap is smaller than the limit.
std::size_t gap_limit(std::size_t bytes, std::size_t line);

/// Returns the bytes that are enough for any random placement of `sets` sets of buffers of these
/// sizes. Returns SIZE_MAX if the product does not fit.
std::size_t placement_bytes(std::span<const std::size_t> sizes, std::size_t sets,
                            std::size_t line = 64);

}  // namespace normbench
