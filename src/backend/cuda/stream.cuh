/// What the threads of a copy and of a stream do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cuda/access.cuh"
#include "backend/cuda/divisor.h"
#include "backend/cuda/kernels.h"

namespace normbench::cuda {

/// Each warp copies 4 rows of 32 units, loads first: a row is contiguous, so a warp's 16-byte
/// stores make whole lines. The bytes before and after the units are copied one by one.
template <class Unit>
struct CopyBody {
  static constexpr std::int64_t rows = 4;

  std::int64_t threads;
  std::byte* to;
  const std::byte* from;
  std::int64_t head, units, tail;  // bytes, units, bytes

  static CopyBody of(void* to, const void* from, std::int64_t bytes) {
    const auto past =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % sizeof(Unit));
    const std::int64_t size = sizeof(Unit), gap = (size - past) % size;
    const std::int64_t head = gap < bytes ? gap : bytes, units = (bytes - head) / size;
    const std::int64_t tail = bytes - head - units * size, edges = head + tail;
    const std::int64_t copying = (units + 32 * rows - 1) / (32 * rows) * 32;
    return {.threads = copying > edges ? copying : edges,
            .to = static_cast<std::byte*>(to),
            .from = static_cast<const std::byte*>(from),
            .head = head,
            .units = units,
            .tail = tail};
  }

  __host__ __device__ void operator()(std::int64_t thread) const {
    Unit held[rows] = {};
    for (int k = 0; k < rows; ++k)
      if (unit(thread, k) < units) held[k] = load(from + offset(thread, k));
    for (int k = 0; k < rows; ++k)
      if (unit(thread, k) < units) store(to + offset(thread, k), held[k]);
    if (thread < head + tail) {
      const std::int64_t i = edge(thread);
      to[i] = from[i];
    }
  }

  /// The unit of a thread in its row `k`.
  __host__ __device__ static std::int64_t unit(std::int64_t thread, int k) {
    return (thread / 32 * rows + k) * 32 + thread % 32;
  }
  /// Where that unit starts, in bytes.
  __host__ __device__ std::int64_t offset(std::int64_t thread, int k) const {
    return head + unit(thread, k) * static_cast<std::int64_t>(sizeof(Unit));
  }
  /// The byte of a thread below head + tail.
  __host__ __device__ std::int64_t edge(std::int64_t thread) const {
    return thread < head ? thread : thread + units * static_cast<std::int64_t>(sizeof(Unit));
  }

 private:
  __host__ __device__ static Unit load(const std::byte* address) {
    if constexpr (sizeof(Unit) == sizeof(Vector16))
      return load16(address);
    else
      return *reinterpret_cast<const Unit*>(address);
  }
  __host__ __device__ static void store(std::byte* address, const Unit& unit) {
    if constexpr (sizeof(Unit) == sizeof(Vector16))
      store16(address, unit, false);
    else
      *reinterpret_cast<Unit*>(address) = unit;
  }
};

/// Calls `use` with the body of the largest unit that fits both addresses.
template <class Use>
auto with_copy_body(void* to, const void* from, std::int64_t bytes, Use use) {
  const auto apart = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  if (apart % sizeof(Vector16) == 0) return use(CopyBody<Vector16>::of(to, from, bytes));
  if (apart % sizeof(std::uint32_t) == 0) return use(CopyBody<std::uint32_t>::of(to, from, bytes));
  return use(CopyBody<std::uint8_t>::of(to, from, bytes));
}

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
