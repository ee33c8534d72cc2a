/// Loops that move bytes and compute nothing: what memory allows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/elementwise.h"

namespace normbench {

/// Bytes of a vector of this machine.
std::int64_t vector_bytes();

/// Copies bytes. Up to the first aligned vector of `out` and from the last one on, through the
/// cache whatever `stores` says.
void copy_bytes(const std::byte* in, std::byte* out, std::int64_t bytes, Stores stores);

/// A mix of vectors. What is stored depends on all that is read, and on how it is gone through.
struct StreamVectors {
  const std::byte* in;
  std::int64_t reads;
  std::byte* out;
  std::int64_t writes;

  bool is_mix(std::int64_t of_reads, std::int64_t of_writes) const {
    return reads * of_writes == writes * of_reads;
  }
  /// How many are read before vector `write` is stored, where one follows the other.
  std::int64_t reads_before(std::int64_t write) const { return write * reads / writes; }
};

/// How memory is gone through. Which form is the fastest depends on the machine, and on a virtual
/// machine on what its host leaves it at that time.
enum class StreamForm {
  Temporal,   // from one end to the other, through the cache; the others store past it
  Parts,      // kParts parts, a line of each in turn, fetched ahead: as kernels do
  Unfetched,  // the same, and the hardware alone fetches
  InOrder,    // from one end to the other, and the hardware alone fetches
  Pages,      // in eight places of four pages in turn, while the next eight are fetched
};

/// Stores vectors [begin, end) of `all.writes`, at an aligned `all.out` unless it is Temporal.
void stream_vectors(const StreamVectors& all, std::int64_t begin, std::int64_t end,
                    StreamForm form);

/// Loads vectors and gives a word of their exclusive or.
std::uint64_t read_vectors(const std::byte* in, std::int64_t vectors);

}  // namespace normbench
