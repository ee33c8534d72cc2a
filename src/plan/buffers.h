/// Decides which values of a case share a buffer, and where the bytes of each buffer come from.
/// Also finds stages whose inputs are still in a cache. A case is a variant of an experiment at one
/// point of the sweep.
#pragma once

#include <cstddef>
#include <span>

#include "plan/case.h"

namespace normbench {

/// Returns the index of the stage that wrote the bytes of value `index`. Returns -1 if the bytes
/// are an input of the case. A stage whose op only passes its input through does not count.
int writer_of(const Case& planned, int index);

/// Returns the index of the value that owns the buffer of value `index`. This is another value if a
/// stage worked in place or passed its input through.
int buffer_of(const Case& planned, int index);

/// Returns the first stage that overwrites value `index` after it was produced; null if there is
/// none.
const Stage* overwriter_of(const Case& planned, int index);

/// Returns the index of the value that is still registered at the end of the case: the output of
/// the last `register` stage, if no `unregister` stage follows. Returns -1 if there is none.
int registered_value(const Case& planned);

/// Returns true if a `register` stage page-locked the value and an `unregister` stage has unlocked
/// it.
bool is_unregistered(const Case& planned, int index);

/// Returns true if both kinds are host memory, or both are device memory.
constexpr bool same_side(Memory a, Memory b) { return host_reaches(a) == host_reaches(b); }

/// Returns the bytes of the buffers that stages [first, end) read or write on one side of the link.
/// The side is the host if the host reaches memory of kind `side`, and else the device. Each buffer
/// counts once, rounded up to a multiple of `line`.
std::int64_t touched_bytes(const Case& planned, int first, int end, Memory side,
                           std::size_t line = 1);

/// Sets `resident` of each stage. It is true if earlier stages of the iteration wrote all inputs of
/// the stage, and these inputs are still in the last-level cache of their side (host or device). To
/// decide this, the function adds up the buffers on that side: those of this stage, and those of
/// all stages between it and the earliest stage that wrote one of its inputs. The inputs count as
/// cached if the sum is at most `cache_bytes`. Call it only for cases with cold buffers.
void mark_resident(Case& planned, const Sides& cache_bytes);

/// Sets two members of the signature of each stage on the CPU. `read_next` is true if a later stage
/// on the CPU reads the output. `reuse_bytes` is the number of host bytes that are touched between
/// writing the output and using it again:
/// - 0 if the output is written over an input;
/// - else if `read_next`: the bytes that are touched by the stages from this one to the last one
///   before the reader;
/// - else if `cache` is hot (each iteration uses the same buffers): all host bytes that an
///   iteration touches;
/// - else the largest integer.
void note_reuse(Case& planned, Cache cache);

/// A fresh pageable output of at least this size in bytes is mapped anew in each iteration. Smaller
/// outputs use recycled memory, as with malloc. Fresh outputs in memory of CUDA are allocated anew
/// at any size.
inline constexpr std::size_t fresh_mmap_bytes = 32u << 20;

/// A slot says where the bytes of one value, or the scratch memory of one stage, come from. None:
/// this process allocates nothing. Source: an input of the case. Placed: a place in an arena
/// (memory that all cases of a group share). Fresh: allocated in every iteration. InPlace: the
/// buffer of another value.
struct Slot {
  enum class Kind { None, Source, Placed, Fresh, InPlace };

  Kind kind = Kind::None;
  Memory memory = Memory::Pageable;
  std::size_t bytes = 0;
  OutputPolicy policy = OutputPolicy::Reuse;
  int buffer = 0;          // index of the slot with the bytes: for InPlace another slot, else this
  int first_stage = 0;     // a Fresh slot is allocated before this stage
  int last_stage = 0;      // a Fresh slot is freed after this stage
  bool near_link = false;  // pageable memory on the NUMA node of the device
};

/// Returns the slots of a case: a slot for each value, and then a slot for the scratch memory of
/// each stage. Values that a peer (another program) makes have slots of kind None.
std::vector<Slot> storage_of(const Case& planned);

/// Returns true if the slot lies in the arena for this memory kind. `near_link` is true for the
/// arena on the NUMA node of the device.
inline bool is_placed(const Slot& slot, Memory memory, bool near_link) {
  return slot.kind == Slot::Kind::Placed && slot.memory == memory && slot.near_link == near_link;
}

/// Returns the sizes in bytes of the slots that lie in this arena (see is_placed()), in slot order.
/// A buffer set of the case has one buffer for each of them.
std::vector<std::size_t> placed_sizes(const std::vector<Slot>& slots, Memory memory,
                                      bool near_link);

/// Returns the alignment of buffers in bytes: a cache line on the host, and on a device the
/// alignment that CUDA allocations have.
constexpr std::size_t alignment_of(Memory memory) { return host_reaches(memory) ? 64 : 512; }

/// Returns `bytes` rounded up to a multiple of `line`.
constexpr std::size_t whole_lines(std::size_t bytes, std::size_t line = 64) {
  return (bytes + line - 1) / line * line;
}

/// Returns the exclusive upper bound, in bytes, of the random gap before a buffer. It is 4 KiB. For
/// a small buffer it is less: the size in whole lines plus one line.
std::size_t gap_limit(std::size_t bytes, std::size_t line);

/// Returns an upper bound on the bytes that are needed to place `sets` sets of buffers of these
/// sizes at random addresses. Returns SIZE_MAX if the bound is too large for std::size_t.
std::size_t placement_bytes(std::span<const std::size_t> sizes, std::size_t sets,
                            std::size_t line = 64);

}  // namespace normbench
