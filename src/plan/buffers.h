/// Decides which values of a case share a buffer and where the bytes of each buffer come from. Also
/// finds stages whose inputs are still in a cache.
#pragma once

#include <cstddef>
#include <span>

#include "plan/case.h"

namespace normbench {

/// Returns the index of the stage that wrote the bytes of value `index`; -1 if no stage did,
/// because they are an input of the case. Stages that only pass a value on do not count.
int writer_of(const Case& planned, int index);

/// Returns the index of the value whose own buffer holds value `index`. That is another value if a
/// stage worked in place or passed a value on.
int buffer_of(const Case& planned, int index);

/// Returns the first stage after the producer of value `index` that overwrites it; null if none
/// does.
const Stage* overwriter_of(const Case& planned, int index);

/// Returns the index of the value that is still registered at the end of the case: the output of
/// the last `register` stage, if no `unregister` stage follows. Returns -1 if there is none.
int registered_value(const Case& planned);

/// Returns true if a `register` stage page-locked the value and an `unregister` stage has unlocked
/// it.
bool is_unregistered(const Case& planned, int index);

/// Returns true if both kinds are host memory, or both are device memory.
constexpr bool same_side(Memory a, Memory b) { return host_reaches(a) == host_reaches(b); }

/// Returns the bytes of the buffers that stages [first, end) read or write on one side of the link:
/// the host if the host reaches memory of kind `side`, else the device. Each buffer counts once,
/// rounded up to a multiple of `line`.
std::int64_t touched_bytes(const Case& planned, int first, int end, Memory side,
                           std::size_t line = 1);

/// Sets `resident` of each stage: true if its inputs, written by earlier stages of the iteration,
/// are still in the last cache of their memory. That is, the buffers on that side that are touched
/// since the first input was written, including the outputs of this stage, fit into `cache_bytes`.
/// Only for cold buffers.
void mark_resident(Case& planned, const Sides& cache_bytes);

/// Sets two members of the signature of each stage on the CPU. `read_next` tells whether a later
/// stage on the CPU reads the output. `reuse_bytes` is the number of host bytes that are touched
/// between writing the output and using it again:
/// - 0 if the output is written over an input;
/// - if `read_next`: the bytes touched by the stages from this one to the one before the reader;
/// - otherwise with hot buffers: all host bytes that an iteration touches;
/// - otherwise with cold buffers: the largest integer.
void note_reuse(Case& planned, Cache cache);

/// The smallest size in bytes from which a fresh pageable output is mapped anew. Smaller outputs
/// use recycled memory, as with malloc. Fresh outputs in memory of CUDA are allocated anew at any
/// size.
inline constexpr std::size_t fresh_mmap_bytes = 32u << 20;

/// Where the bytes of one value, or the scratch memory of one stage, come from.
struct Slot {
  enum class Kind { None, Source, Placed, Fresh, InPlace };

  Kind kind = Kind::None;
  Memory memory = Memory::Pageable;
  std::size_t bytes = 0;
  OutputPolicy policy = OutputPolicy::Reuse;
  int buffer = 0;          // index of the slot with the bytes: its own, unless InPlace
  int first_stage = 0;     // a Fresh slot is allocated before this stage
  int last_stage = 0;      // a Fresh slot is freed after this stage
  bool near_link = false;  // pageable memory on the NUMA node near the device
};

/// Returns the slots of a case: its values, then the scratch memory of each stage. Values that a
/// peer makes have slots of kind None.
std::vector<Slot> storage_of(const Case& planned);

/// Returns true if the slot lies in the arena for this memory kind and `near_link`.
inline bool is_placed(const Slot& slot, Memory memory, bool near_link) {
  return slot.kind == Slot::Kind::Placed && slot.memory == memory && slot.near_link == near_link;
}

/// Returns the sizes in bytes, in slot order, of the buffers that one buffer set of a case places
/// in the arena for this memory kind and `near_link`.
std::vector<std::size_t> placed_sizes(const std::vector<Slot>& slots, Memory memory,
                                      bool near_link);

/// Returns the alignment of buffers in bytes: a cache line on the host, and on a device the
/// alignment that CUDA allocations have.
constexpr std::size_t alignment_of(Memory memory) { return host_reaches(memory) ? 64 : 512; }

/// Returns `bytes` rounded up to a multiple of `line`.
constexpr std::size_t whole_lines(std::size_t bytes, std::size_t line = 64) {
  return (bytes + line - 1) / line * line;
}

/// Returns the exclusive upper bound, in bytes, of the random gap before a buffer: 4 KiB, or for
/// small buffers the size in whole lines plus one line.
std::size_t gap_limit(std::size_t bytes, std::size_t line);

/// Returns the bytes that any random placement of `sets` sets of buffers of these sizes needs at
/// most; SIZE_MAX if that number is too large.
std::size_t placement_bytes(std::span<const std::size_t> sizes, std::size_t sets,
                            std::size_t line = 64);

}  // namespace normbench
