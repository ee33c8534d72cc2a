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

/// A mix of vectors in proportion: at any share of the output, the same share of the input has been
/// read. What is stored depends on all that is read, and on nothing else.
struct StreamVectors {
  const std::byte* in;
  std::int64_t reads;
  std::byte* out;
  std::int64_t writes;

  bool is_mix(std::int64_t of_reads, std::int64_t of_writes) const {
    return reads * of_writes == writes * of_reads;
  }
  /// True where every split keeps it; else only multiples of kStreamBlock do.
  bool is_even() const { return reads <= writes || is_mix(2, 1) || is_mix(4, 1); }
};

/// Vectors of the output in a block of an uneven mix.
constexpr std::int64_t kStreamBlock = 1024;

/// Stores vectors [begin, end) of `all.writes`: multiples of 64 in an even mix, of kStreamBlock in
/// another, or the end. Non-temporal stores need an aligned `all.out`.
void stream_vectors(const StreamVectors& all, std::int64_t begin, std::int64_t end, Stores stores);

/// Loads vectors and gives a word of their exclusive or.
std::uint64_t read_vectors(const std::byte* in, std::int64_t vectors);

}  // namespace normbench
