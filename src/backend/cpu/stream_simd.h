/// Loops that move bytes and compute almost nothing. Their rates show the limits of the memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/elementwise.h"

namespace normbench {

/// Returns the number of bytes in a vector of the instruction set in use.
std::int64_t vector_bytes();

/// Copies bytes. The bytes before the first aligned vector of `out` and after the last one are
/// always stored through the cache.
void copy_bytes(const std::byte* in, std::byte* out, std::int64_t bytes, Stores stores);

/// Vectors to read and vectors to write. The stored values depend on the vectors read and on the
/// StreamForm.
struct StreamVectors {
  const std::byte* in;
  std::int64_t reads;
  std::byte* out;
  std::int64_t writes;

  bool is_mix(std::int64_t of_reads, std::int64_t of_writes) const {
    return reads * of_writes == writes * of_reads;
  }
  /// Returns how many vectors are read before vector `write` is stored, if reads and writes proceed
  /// in order.
  std::int64_t reads_before(std::int64_t write) const { return write * reads / writes; }
};

/// The order of memory accesses. The fastest form differs between machines. In a virtual machine,
/// it also depends on how busy the host machine is.
enum class StreamForm {
  Temporal,   // in order, through the cache; the other forms store past the cache
  Parts,      // a line of each of kParts parts in turn; the loop prefetches, as in other kernels
  Unfetched,  // like Parts, but only hardware prefetchers fetch
  InOrder,    // in order; only hardware prefetchers fetch
  Pages,      // a line of each of eight places in turn, with up to four pages in a place; the loop
              // prefetches the next eight places
};

/// Stores output vectors [begin, end) of a stream, and loads the input vectors that are read for
/// them. If `form` is not Temporal, `all.out` must be aligned to a vector.
void stream_vectors(const StreamVectors& all, std::int64_t begin, std::int64_t end,
                    StreamForm form);

/// Loads `vectors` vectors and returns the first 64-bit word of their bitwise XOR.
std::uint64_t read_vectors(const std::byte* in, std::int64_t vectors);

}  // namespace normbench
