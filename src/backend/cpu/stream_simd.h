/// Loops that move bytes and compute nothing. They show what memory allows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/elementwise.h"

namespace normbench {

/// Returns the bytes of a vector of the instruction set in use.
std::int64_t vector_bytes();

/// Copies bytes. Before the first aligned vector of `out` and after the last one, it stores through
/// the cache, whatever `stores` is.
void copy_bytes(const std::byte* in, std::byte* out, std::int64_t bytes, Stores stores);

/// Vectors to read and vectors to write. The values stored depend on all vectors read and on the
/// form.
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

/// The order of memory accesses. Which form is the fastest depends on the machine. On a virtual
/// machine it also depends on what the host leaves to it at that time.
enum class StreamForm {
  Temporal,   // in order, through the cache; all others store past it
  Parts,      // kParts parts, a line of each in turn, fetched ahead: as kernels do
  Unfetched,  // as Parts, but only the hardware fetches
  InOrder,    // in order; only the hardware fetches
  Pages,      // eight places of four pages in turn, while the next eight are fetched
};

/// Stores vectors [begin, end) of `all.writes`. `all.out` must be aligned to a vector, except for
/// Temporal.
void stream_vectors(const StreamVectors& all, std::int64_t begin, std::int64_t end,
                    StreamForm form);

/// Loads `vectors` vectors and returns one word of their exclusive or.
std::uint64_t read_vectors(const std::byte* in, std::int64_t vectors);

}  // namespace normbench
