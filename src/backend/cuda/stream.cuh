/// The kernel bodies (grid.h) of the ops `copy` and `stream`. In this file, a unit is at most 16
/// bytes, and a row is one unit for each thread of a block.
///
/// Blocks that write 4 full rows run separate code. The table lists the instructions that one warp
/// executes in this code on sm_90, the budget that tests/backend/issue_budget.py allows, and the
/// bytes that the warp reads and writes. "stream 1:4" reads one byte for every four that it writes:
///                     instructions  budget  bytes
///   stream 1:4                  22      35  2,560
///   stream 1:2                  23      35  3,072
///   stream 1:1, copy            26      35  4,096
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backend/cuda/access.cuh"
#include "backend/cuda/grid.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/patterns.cuh"

namespace normbench::cuda {

/// A range of bytes, divided into aligned units, with less than a unit left at each edge. A row is
/// one unit for each thread of a block.
struct Rows {
  std::byte* data;                 // address of the first unit
  std::int64_t head, units, tail;  // bytes before the units; units; bytes after them

  static Rows of(const void* data, std::int64_t bytes, std::int64_t size) {
    const auto past =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) & (size - 1);
    const std::int64_t gap = (size - past) & (size - 1), head = gap < bytes ? gap : bytes;
    const std::int64_t units = (bytes - head) / size;
    return {.data = const_cast<std::byte*>(static_cast<const std::byte*>(data)) + head,
            .head = head,
            .units = units,
            .tail = bytes - head - units * size};
  }

  std::int64_t rows() const { return (units + threads_per_block - 1) / threads_per_block; }
  __host__ __device__ std::int64_t edges() const { return head + tail; }
  /// The edge bytes are the `head` bytes and after them the `tail` bytes. Returns the offset from
  /// `data` of edge byte number `thread`, which must be less than edges(). `size`: bytes of a unit.
  __host__ __device__ std::int64_t edge(std::int64_t thread, std::int64_t size) const {
    return thread < head ? thread - head : units * size + thread - head;
  }
};

constexpr int units_per_thread = 4;

/// Copies bytes. A full block copies 4 units per thread, all loads before the stores. The last
/// block copies the remaining units and the edges.
template <class Unit>
struct CopyBody {
  static constexpr std::int64_t part = units_per_thread * threads_per_block;  // units of a block

  Grid grid;
  unsigned whole;  // full blocks
  Rows to;
  const std::byte* from;  // address of the first unit

  static CopyBody of(void* to, const void* from, std::int64_t bytes) {
    const Rows rows = Rows::of(to, bytes, sizeof(Unit));
    const std::int64_t whole = rows.units / part, rest = rows.units % part + rows.edges();
    return {.grid = {static_cast<unsigned>(whole + (rest > 0 ? 1 : 0))},
            .whole = static_cast<unsigned>(whole),
            .to = rows,
            .from = static_cast<const std::byte*>(from) + rows.head};
  }

  __host__ __device__ void operator()(const Index& at) const {
    const std::int64_t first = at.x * part + at.thread;
    if (at.x < whole) {
      Unit held[units_per_thread];
      unrolled<units_per_thread>([&](int k) { held[k] = load(from + offset(first, k)); });
      unrolled<units_per_thread>([&](int k) { store(to.data + offset(first, k), held[k]); });
      return;
    }
    for (int k = 0; first + k * threads_per_block < to.units; ++k)
      store(to.data + offset(first, k), load(from + offset(first, k)));
    if (at.thread < to.edges()) {
      const std::int64_t edge = to.edge(at.thread, sizeof(Unit));
      to.data[edge] = from[edge];
    }
  }

  /// Returns the offset in bytes of unit `k` of a thread whose first unit is `first`.
  __host__ __device__ static std::int64_t offset(std::int64_t first, int k) {
    return (first + k * static_cast<std::int64_t>(threads_per_block)) *
           static_cast<std::int64_t>(sizeof(Unit));
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
      store16<false>(address, unit);
    else
      *reinterpret_cast<Unit*>(address) = unit;
  }
};

/// Calls `use` with the copy body for the largest unit (16, 4 or 1 bytes) that divides the distance
/// between the two addresses. Returns the result of `use`.
template <class Use>
auto with_copy_body(void* to, const void* from, std::int64_t bytes, Use use) {
  const auto apart = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  if (apart % sizeof(Vector16) == 0) return use(CopyBody<Vector16>::of(to, from, bytes));
  if (apart % sizeof(std::uint32_t) == 0) return use(CopyBody<std::uint32_t>::of(to, from, bytes));
  return use(CopyBody<std::uint8_t>::of(to, from, bytes));
}

/// Distributes the rows of a stream's input or output evenly over blocks, in order, at most 4 rows
/// per block.
struct Deal {
  std::uint64_t per_block;  // rows of a block, times 2^32

  static Deal of(std::int64_t rows, std::int64_t blocks) {
    const auto all = static_cast<std::uint64_t>(rows) << 32,
               each = static_cast<std::uint64_t>(blocks);
    return {(all + each - 1) / each};
  }
  /// Returns the first row of a block, which is also the end of the previous block.
  __host__ __device__ std::int64_t first(std::int64_t block) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(block) * per_block >> 32);
  }
};

/// If the exclusive or of all vectors that a thread has read has this value in all words, the
/// thread changes the first byte of the output (see StreamBody::dealt()).
constexpr std::uint32_t stream_mark = 0x9E3779B9;

/// Each of the first `whole` blocks reads `Reads` rows and stores each of them `Writes` / `Reads`
/// times. Each of the other blocks reads the rows that `reads` assigns to it, and stores the rows
/// that `writes` assigns to it. A thread of such a block stores the exclusive or of all vectors
/// that it has read.
template <int Reads, int Writes, bool Streaming>
struct StreamBody {
  static_assert(Reads <= Writes && Writes <= units_per_thread);

  Grid grid;
  unsigned whole;
  Rows in, out;
  Deal reads, writes;

  __host__ __device__ void operator()(const Index& at) const {
    if (at.x < whole) {
      Vector16 held[Reads];
      unrolled<Reads>(
          [&](int k) { held[k] = load16(vector(in, at, at.x * std::int64_t{Reads} + k)); });
      unrolled<Writes>([&](int k) {
        store16<Streaming>(vector(out, at, at.x * std::int64_t{Writes} + k),
                           held[k * Reads / Writes]);
      });
      return;
    }
    dealt(at);
  }

 private:
  __host__ __device__ static std::byte* vector(const Rows& side, const Index& at,
                                               std::int64_t row) {
    return side.data +
           (row * threads_per_block + at.thread) * static_cast<std::int64_t>(sizeof(Vector16));
  }
  /// `side` is `in` or `out`, and `deal` distributes its rows to the blocks. If the thread has a
  /// vector in row k (0 to 3) of its block, calls `use(k, address)` with the address of that
  /// vector.
  template <class Use>
  __host__ __device__ static void each(const Rows& side, const Deal& deal, const Index& at,
                                       Use use) {
    const std::int64_t first = deal.first(at.x), end = deal.first(std::int64_t{at.x} + 1);
    unrolled<units_per_thread>([&](int k) {
      if (first + k < end && (first + k) * threads_per_block + at.thread < side.units)
        use(k, vector(side, at, first + k));
    });
  }
  __host__ __device__ void dealt(const Index& at) const {
    Vector16 held[units_per_thread] = {};
    each(in, reads, at, [&](int k, const std::byte* from) { held[k] = load16(from); });
    Vector16 all = {};
    for (int k = 0; k < units_per_thread; ++k)
      for (int w = 0; w < 4; ++w) all.words[w] ^= held[k].words[w];
    each(out, writes, at, [&](int, std::byte* to) { store16<Streaming>(to, all); });
    if (at.x == whole && at.thread < out.edges())
      out.data[out.edge(at.thread, sizeof(Vector16))] = std::byte{0};
    // A thread may store nothing above. This store makes the compiler keep the loads of such a
    // thread. In practice no data equal the mark.
    if (is_mark(all)) *(out.data - out.head) = std::byte{1};
  }
  __host__ __device__ static bool is_mark(const Vector16& v) {
    return v.words[0] == stream_mark && v.words[1] == stream_mark && v.words[2] == stream_mark &&
           v.words[3] == stream_mark;
  }
};

/// Calls `use` with the body for the ratio of rows read to rows written. At the ratios 1:4, 1:2 and
/// 1:1, `whole` is the number of full blocks. At any other ratio `whole` is 0, and `reads` and
/// `writes` distribute all rows. Returns the result of `use`.
template <class Use>
auto with_stream_body(const StreamArguments& a, Use use) {
  const Rows in = Rows::of(a.in, a.read_bytes, sizeof(Vector16));
  const Rows out = Rows::of(a.out, a.written_bytes, sizeof(Vector16));
  const auto blocks_of = [](std::int64_t rows, std::int64_t each) {
    return (rows + each - 1) / each;
  };
  const auto exact = [&](std::int64_t reads, std::int64_t writes) {
    return blocks_of(in.rows(), reads) == blocks_of(out.rows(), writes);
  };
  const auto with = [&]<int Reads, bool Streaming>(bool is_exact) {
    constexpr int writes = units_per_thread;
    const std::int64_t blocks =
        std::max<std::int64_t>({1, blocks_of(in.rows(), is_exact ? Reads : units_per_thread),
                                blocks_of(out.rows(), writes)});
    const std::int64_t whole = is_exact ? std::min(in.units / (Reads * threads_per_block),
                                                   out.units / (writes * threads_per_block))
                                        : 0;
    return use(StreamBody<Reads, writes, Streaming>{
        .grid = {static_cast<unsigned>(blocks + (blocks == whole && out.edges() > 0 ? 1 : 0))},
        .whole = static_cast<unsigned>(whole),
        .in = in,
        .out = out,
        .reads = is_exact ? Deal::of(Reads, 1) : Deal::of(in.rows(), blocks),
        .writes = is_exact ? Deal::of(writes, 1) : Deal::of(out.rows(), blocks)});
  };
  return with_bool(a.streaming, [&]<bool Streaming>(std::bool_constant<Streaming>) {
    if (exact(1, 4)) return with.template operator()<1, Streaming>(true);
    if (exact(2, 4)) return with.template operator()<2, Streaming>(true);
    return with.template operator()<4, Streaming>(exact(4, 4));
  });
}

}  // namespace normbench::cuda
