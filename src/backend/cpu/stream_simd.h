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

/// A mix of vectors: each of `writes` takes what lies at the same share of `reads`: one vector,
/// stored several times over where there are fewer reads, or the exclusive or of a stretch of them.
/// Without reads zeros are stored.
struct StreamVectors {
  const std::byte* in;
  std::int64_t reads;
  std::byte* out;
  std::int64_t writes;
};

/// Stores vectors [begin, end) of `all.writes`. Non-temporal stores need an aligned `all.out`.
void stream_vectors(const StreamVectors& all, std::int64_t begin, std::int64_t end, Stores stores);

/// Loads vectors and gives a word of their exclusive or.
std::uint64_t read_vectors(const std::byte* in, std::int64_t vectors);

}  // namespace normbench
