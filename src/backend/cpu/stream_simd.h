/// Loops that move bytes and compute next to nothing. Their rates show what memory allows.
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

/// Vectors to read and vectors to write. Which values are stored depends on the vectors read and on
/// the StreamForm.
struct StreamVectors {
  const std::byte* in;
  std::int64_t reads;
  std::byte* out;
  std::int64_t writes;

  bool is_mix(std::int64_t of_reads, std::int64_t of_writes) const {
    return reads * of_writes == writes * of_reads;
  }
  /// Returns how many vectors are read before vector `write` is stored, if both go in order.
  std::int64_t reads_before(std::int64_t write) const { return write * reads / writes; }
};

/// The order of memory accesses. Which form is the fastest depends on the machine, and on a virtual
/// machine also on the load of its host.
enum class StreamForm {
  Temporal,   // in order, through the cache; all others store past it
  Parts,      // kParts parts, a line of each in turn, fetched ahead, as kernels do
  Unfetched,  // as Parts, but only the hardware fetches
  InOrder,    // in order; only the hardware fetches
  Pages,      // eight places of up to four pages in turn; meanwhile the next eight are fetched
};

/// Stores vectors [begin, end) of `all.writes`, and loads the vectors that are read for them.
/// `all.out` must be aligned to a vector, except for Temporal.
void stream_vectors(const StreamVectors& all, std::int64_t begin, std::int64_t end,
                    StreamForm form);

/// Loads `vectors` vectors and returns the first 64-bit word of their exclusive or.
std::uint64_t read_vectors(const std::byte* in, std::int64_t vectors);

}  // namespace normbench
