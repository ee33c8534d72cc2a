/// What the threads of a stream do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cuda/access.cuh"
#include "backend/cuda/divisor.h"
#include "backend/cuda/stream.h"

namespace normbench::cuda {

/// Rows of 32 vectors, one for each thread of a warp, between two edges of less than a vector.
struct VectorRows {
  std::byte* data;
  std::int64_t head, vectors, tail;  // bytes, vectors, bytes

  static VectorRows of(const void* data, std::int64_t bytes) {
    const std::int64_t size = sizeof(Vector16);
    const std::int64_t past =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data) % size);
    const std::int64_t gap = (size - past) % size, head = gap < bytes ? gap : bytes;
    const std::int64_t vectors = (bytes - head) / size;
    return {.data = const_cast<std::byte*>(static_cast<const std::byte*>(data)),
            .head = head,
            .vectors = vectors,
            .tail = bytes - head - vectors * size};
  }

  __host__ __device__ std::int64_t rows() const { return (vectors + 31) / 32; }
  __host__ __device__ std::byte* vector(std::int64_t i) const {
    return data + head + i * static_cast<std::int64_t>(sizeof(Vector16));
  }
  /// The byte of a thread below head + tail.
  __host__ __device__ std::byte* edge(std::int64_t thread) const {
    return thread < head ? data + thread : vector(vectors) + (thread - head);
  }
};

/// Rows dealt to slots in order and evenly, at most one to a slot, so rows <= slots.
struct Deal {
  std::int64_t rows, slots;
  Quotient at;  // of slot * rows by slots, for the slot where it stands

  __host__ __device__ static Deal from(std::int64_t slot, std::int64_t rows, const Divisor& slots) {
    return {rows, slots.divisor, slots.split(slot * rows)};
  }
  /// Whether the slot gets row().
  __host__ __device__ bool gives() const { return at.remainder < rows; }
  __host__ __device__ std::int64_t row() const { return at.quotient; }
  __host__ __device__ void next_slot() {
    at.remainder += rows;
    if (at.remainder < slots) return;
    at.remainder -= slots;
    ++at.quotient;
  }
};

/// Each warp has 4 slots; a slot reads a row, writes one, or both. Loads come first; what is stored
/// is the exclusive or of what the thread has read so far.
struct StreamBody {
  static constexpr int slots_per_warp = 4;

  std::int64_t threads;
  VectorRows in, out;
  Divisor slots;
  bool streaming;

  static StreamBody of(const StreamArguments& a) {
    const VectorRows in = VectorRows::of(a.in, a.read_bytes);
    const VectorRows out = VectorRows::of(a.out, a.written_bytes);
    const std::int64_t most = in.rows() > out.rows() ? in.rows() : out.rows();
    const std::int64_t slots = most > 0 ? most : 1;
    return {.threads = (slots + slots_per_warp - 1) / slots_per_warp * 32,
            .in = in,
            .out = out,
            .slots = Divisor::of(slots),
            .streaming = a.streaming};
  }

  __host__ __device__ void operator()(std::int64_t thread) const {
    if (thread < out.head + out.tail) *out.edge(thread) = std::byte{0};
    Vector16 held[slots_per_warp] = {};
    load(thread, held);
    store(thread, held);
    // So that no load can be left out where nothing is stored; hardly any data ever gets here.
    if (is_mark(held[slots_per_warp - 1])) *out.data = std::byte{1};
  }

  /// A thread whose exclusive or consists of these words changes the first byte written.
  static constexpr std::uint32_t mark = 0x9E3779B9;

 private:
  __host__ __device__ void load(std::int64_t thread, Vector16* held) const {
    const std::int64_t first = thread / 32 * slots_per_warp, lane = thread % 32;
    Deal deal = Deal::from(first, in.rows(), slots);
    for (int k = 0; k < slots_per_warp; ++k, deal.next_slot()) {
      const std::int64_t i = deal.row() * 32 + lane;
      if (deal.gives() && i < in.vectors) held[k] = load16(in.vector(i));
    }
  }
  __host__ __device__ void store(std::int64_t thread, Vector16* held) const {
    const std::int64_t first = thread / 32 * slots_per_warp, lane = thread % 32;
    Deal deal = Deal::from(first, out.rows(), slots);
    for (int k = 0; k < slots_per_warp; ++k, deal.next_slot()) {
      if (k > 0) add(held[k], held[k - 1]);
      const std::int64_t i = deal.row() * 32 + lane;
      if (deal.gives() && i < out.vectors) store16(out.vector(i), held[k], streaming);
    }
  }
  __host__ __device__ static void add(Vector16& to, const Vector16& v) {
    for (int w = 0; w < 4; ++w) to.words[w] ^= v.words[w];
  }
  __host__ __device__ static bool is_mark(const Vector16& v) {
    return v.words[0] == mark && v.words[1] == mark && v.words[2] == mark && v.words[3] == mark;
  }
};

}  // namespace normbench::cuda
