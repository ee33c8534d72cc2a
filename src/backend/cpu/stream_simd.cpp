#include "backend/cpu/stream_simd.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "backend/cpu/fetch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/stream_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint64_t>;
using V = hn::Vec<Words>;

std::int64_t vector_size() { return static_cast<std::int64_t>(hn::Lanes(Words()) * 8); }

HWY_INLINE V load(const std::byte* in) {
  return hn::LoadU(Words(), reinterpret_cast<const std::uint64_t*>(in));
}

template <StreamForm Form>
HWY_INLINE void store(V v, std::byte* out) {
  auto* p = reinterpret_cast<std::uint64_t*>(out);
  if constexpr (Form == StreamForm::Temporal) {
    hn::StoreU(v, Words(), p);
  } else {
    hn::Stream(v, Words(), p);
  }
}

HWY_INLINE V exclusive_or(const std::byte* in, std::int64_t vectors) {
  const std::int64_t size = vector_size();
  V sum = hn::Zero(Words());
  for (std::int64_t i = 0; i < vectors; ++i) sum = hn::Xor(sum, load(in + i * size));
  return sum;
}

HWY_INLINE V gathered(const std::byte* in, std::int64_t reads) {
  V v = load(in);
  for (std::int64_t k = 1; k < reads; ++k) v = hn::Xor(v, load(in + k * vector_size()));
  return v;
}

template <StreamForm Form>
HWY_INLINE void repeat(V v, std::byte* out, std::int64_t writes) {
  for (std::int64_t k = 0; k < writes; ++k) store<Form>(v, out + k * vector_size());
}

/// The vectors of a mix are divided into units. A mix has two sides, reads and writes. A unit has
/// one vector of the side with fewer vectors, and a share of the vectors of the other side. For
/// example, a unit of the mix 1:3 has one read and three writes.
struct Unit {
  std::int64_t reads, writes;
  bool operator==(const Unit&) const = default;
};

constexpr std::int64_t kLine = 64;     // bytes
constexpr std::int64_t kTogether = 4;  // the most units in one visit() to a place (see Places)

/// The units of a mix like 1:1 or 1:2, in which all units are equal.
template <int Reads, int Writes>
struct Alike {
  static constexpr void take(std::int64_t) {}
  static constexpr Unit at(std::int64_t) { return {Reads, Writes}; }
};

/// The units of a mix for which there is no Alike. Some units may have one vector more than others.
class Uneven {
 public:
  Uneven(std::int64_t reads, std::int64_t writes)
      : units_(std::min(reads, writes)),
        unit_{reads / units_, writes / units_},
        rest_{reads % units_, writes % units_} {}

  /// Computes how many vectors each of the next `count` units has.
  HWY_INLINE void take(std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k)
      taken_[k] = {unit_.reads + more(rest_.reads, due_.reads),
                   unit_.writes + more(rest_.writes, due_.writes)};
  }
  /// Returns unit k of the units that take() has computed last.
  HWY_INLINE Unit at(std::int64_t k) const { return taken_[k]; }
  /// Returns true if the first `count` units that take() has computed are equal.
  HWY_INLINE bool are_alike(std::int64_t count) const {
    return std::all_of(taken_, taken_ + count, [&](const Unit& one) { return one == taken_[0]; });
  }

 private:
  HWY_INLINE std::int64_t more(std::int64_t rest, std::int64_t& due) const {
    due += rest;
    const std::int64_t one = due >= units_ ? 1 : 0;
    due -= one * units_;
    return one;
  }

  const std::int64_t units_;
  const Unit unit_, rest_;
  Unit due_{}, taken_[kTogether];
};

/// A stream is moved at several places of its buffers, a few units at each place in turn. `in` and
/// `out` are the distances in bytes from one place to the next, in the input and in the output.
/// `ahead` is the distance in bytes from the input of a unit to the data that StreamForm::Pages
/// prefetches when it reads this unit.
struct Places {
  std::int64_t in, out, ahead;
};

/// Reads and stores `units` units at one place.
template <StreamForm Form, class Units>
HWY_INLINE void visit(const std::byte* in, std::byte* out, std::int64_t units, const Units& mix,
                      const Places& places) {
  const std::int64_t size = vector_size();
  for (std::int64_t k = 0; k < units; ++k) {
    const Unit unit = mix.at(k);
    for (std::int64_t at = 0; at < unit.reads * size; at += std::min(kLine, size)) {
      if constexpr (Form == StreamForm::Pages) fetch_line(in + places.ahead + at);
      if constexpr (Form == StreamForm::Parts) fetch_line_soon(in + kFetchAhead + at);
    }
    repeat<Form>(gathered(in, unit.reads), out, unit.writes);
    in += unit.reads * size;
    out += unit.writes * size;
  }
}

/// Visits the same units in each of `N` places. `in` and `out` point into the first place and are
/// moved past its units. The other places lie at fixed offsets from it.
template <StreamForm Form, int N, class Units>
HWY_INLINE void visit_all(const std::byte*& in, std::byte*& out, std::int64_t units,
                          const Units& mix, const Places& places) {
  const std::byte* from = in;
  std::byte* to = out;
  for (int n = 0; n < N; ++n) {
    visit<Form>(from, to, units, mix, places);
    from += places.in;
    to += places.out;
    // Without this fence, the compiler groups the prefetches of several places. That was about a
    // seventh slower on Emerald Rapids.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  for (std::int64_t k = 0; k < units; ++k) {
    in += mix.at(k).reads * vector_size();
    out += mix.at(k).writes * vector_size();
  }
}

/// Visits units of an uneven mix. If all the `units` units are equal and small, runs code in which
/// their size is a compile-time constant. That code has fewer instructions, so that more cache
/// lines are in flight.
template <StreamForm Form, int N>
HWY_INLINE void visit_uneven(const std::byte*& in, std::byte*& out, std::int64_t units,
                             const Uneven& mix, const Places& places) {
  const Unit unit = mix.at(0);
  const auto visit_as = [&]<int Reads, int Writes>(Alike<Reads, Writes> alike) {
    if (unit != Unit{Reads, Writes} || !mix.are_alike(units)) return false;
    visit_all<Form, N>(in, out, units, alike, places);
    return true;
  };
  if (visit_as(Alike<1, 1>()) || visit_as(Alike<1, 2>()) || visit_as(Alike<1, 3>()) ||
      visit_as(Alike<1, 4>()) || visit_as(Alike<1, 5>()) || visit_as(Alike<2, 1>()) ||
      visit_as(Alike<3, 1>()) || visit_as(Alike<4, 1>()) || visit_as(Alike<5, 1>()))
    return;
  visit_all<Form, N>(in, out, units, mix, places);
}

/// Moves `units` units at each of `N` places, a cache line of each place in turn.
template <StreamForm Form, int N, class Units>
HWY_INLINE void in_turn(const std::byte* in, std::byte* out, std::int64_t units, Units mix,
                        const Places& places) {
  const std::int64_t together = std::clamp<std::int64_t>(kLine / vector_size(), 1, kTogether);
  for (std::int64_t u = 0; u < units; u += together) {
    const std::int64_t count = std::min(together, units - u);
    mix.take(count);
    if constexpr (std::is_same_v<Units, Uneven>)
      visit_uneven<Form, N>(in, out, count, mix, places);
    else
      visit_all<Form, N>(in, out, count, mix, places);
  }
}

/// Moves all vectors in order. Stores zeros if there is nothing to read.
template <StreamForm Form>
void in_order(const std::byte* in, std::int64_t reads, std::byte* out, std::int64_t writes) {
  const std::int64_t units = std::min(reads, writes);
  for (std::int64_t j = 0; units == 0 && j < writes; ++j)
    store<Form>(hn::Zero(Words()), out + j * vector_size());
  if (units > 0) in_turn<Form, 1>(in, out, units, Uneven(reads, writes), {});
}

/// Returns the number of units that each of `N` places gets if `units` are left for all places
/// together. Returns 0 if they are too few.
template <StreamForm Form, int N>
std::int64_t units_of_place(std::int64_t units, const void* in, const void* out, bool is_copy) {
  const std::int64_t size = vector_size(), most = units / N * size;
  if constexpr (Form == StreamForm::Pages)
    return std::min<std::int64_t>(4, most / kPrefetchReach) * kPrefetchReach / size;
  return part_bytes(most, is_copy ? part_phase({in}, out) : part_phase({}, out)) / size;
}

/// Moves the vectors of a stream in order.
template <StreamForm Form, class Units>
void whole(const StreamVectors& all) {
  if constexpr (std::is_same_v<Units, Uneven>)
    in_order<Form>(all.in, all.reads, all.out, all.writes);
  else
    visit<Form>(all.in, all.out, std::min(all.reads, all.writes), Units(), {});
}

/// Moves a stream past the cache in blocks of `N` places, and the remaining vectors in order. Each
/// place of a block gets the same number of reads, rounded down. Reads that are left over by the
/// rounding are made after the block, together with one write.
template <StreamForm Form, int N, class Units>
void in_blocks(const StreamVectors& all) {
  const std::int64_t size = vector_size();
  std::int64_t read = 0, written = 0;
  while (true) {
    const std::byte* in = all.in + read * size;
    std::byte* out = all.out + written * size;
    const std::int64_t reads = all.reads - read, writes = all.writes - written;
    const std::int64_t fewest = std::min(reads, writes);
    // Leaves one unit for the reads after the block.
    const std::int64_t usable = std::is_same_v<Units, Uneven> ? fewest - 1 : fewest;
    const std::int64_t units = units_of_place<Form, N>(usable, in, out, reads == writes);
    if (units == 0)  // with so few units, fetching ahead does not help
      return whole < Form == StreamForm::Parts ? StreamForm::Unfetched : Form,
             Units > ({.in = in, .reads = reads, .out = out, .writes = writes});
    const std::int64_t r = units * reads / fewest, w = units * writes / fewest;
    const Places places{.in = r * size, .out = w * size, .ahead = N * r * size};
    if constexpr (std::is_same_v<Units, Uneven>) {
      in_turn<Form, N>(in, out, units, Uneven(r, w), places);
    } else {
      in_turn<Form, N>(in, out, units, Units(), places);
    }
    read += N * r;
    written += N * w;
    const std::int64_t behind = all.reads_before(written) - read;
    if (behind <= 0 || written == all.writes) continue;
    in_order<Form>(all.in + read * size, behind, all.out + written * size, 1);
    read += behind;
    ++written;
  }
}

template <class Units>
void stream_as(const StreamVectors& all, StreamForm form) {
  switch (form) {
    case StreamForm::Temporal:
      return whole<StreamForm::Temporal, Units>(all);
    case StreamForm::InOrder:
      return whole<StreamForm::InOrder, Units>(all);
    case StreamForm::Pages:
      return in_blocks<StreamForm::Pages, 8, Units>(all);
    case StreamForm::Parts:
      return in_blocks<StreamForm::Parts, kParts, Units>(all);
    case StreamForm::Unfetched:
      return in_blocks<StreamForm::Unfetched, kParts, Units>(all);
  }
}

void copy_any(const std::byte* in, std::byte* out, std::int64_t bytes, Stores stores) {
  const std::int64_t size = vector_size();
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) %
                                              static_cast<std::uintptr_t>(size));
  std::int64_t i = past == 0 ? 0 : std::min(bytes, size - past);
  std::memcpy(out, in, static_cast<std::size_t>(i));
  const std::int64_t vectors = (bytes - i) / size;
  const StreamVectors all{in + i, vectors, out + i, vectors};
  const bool is_short = vectors * size < kParts * kFetchAhead;  // for example rows of a crop
  if (stores == Stores::Normal)
    whole<StreamForm::Temporal, Alike<1, 1>>(all);
  else if (is_short)
    whole<StreamForm::InOrder, Alike<1, 1>>(all);
  else
    in_blocks<StreamForm::Parts, kParts, Alike<1, 1>>(all);
  i += vectors * size;
  std::memcpy(out + i, in + i, static_cast<std::size_t>(bytes - i));
}

void stream_any(const StreamVectors& all, std::int64_t begin, std::int64_t end, StreamForm form) {
  const std::int64_t size = vector_size(), first = all.reads_before(begin);
  const StreamVectors part{.in = all.in + first * size,
                           .reads = all.reads_before(end) - first,
                           .out = all.out + begin * size,
                           .writes = end - begin};
  if (part.is_mix(1, 1)) return stream_as<Alike<1, 1>>(part, form);
  if (part.is_mix(1, 2)) return stream_as<Alike<1, 2>>(part, form);
  if (part.is_mix(1, 4)) return stream_as<Alike<1, 4>>(part, form);
  if (part.is_mix(2, 1)) return stream_as<Alike<2, 1>>(part, form);
  if (part.is_mix(4, 1)) return stream_as<Alike<4, 1>>(part, form);
  stream_as<Uneven>(part, form);
}

/// Reads four pages at once, one vector of each page in turn. Returns one word of the XOR of all
/// vectors.
std::uint64_t read_any(const std::byte* in, std::int64_t vectors) {
  const std::int64_t size = vector_size(), page = kPrefetchReach / size;
  V a = hn::Zero(Words()), b = a;
  std::int64_t done = 0;
  for (; done + 4 * page <= vectors; done += 4 * page)
    for (std::int64_t i = done; i < done + page; ++i) {
      const std::byte* from = in + i * size;
      a = hn::Xor(a, hn::Xor(load(from), load(from + kPrefetchReach)));
      b = hn::Xor(b, hn::Xor(load(from + 2 * kPrefetchReach), load(from + 3 * kPrefetchReach)));
    }
  const V rest = exclusive_or(in + done * size, vectors - done);
  return hn::GetLane(hn::Xor(rest, hn::Xor(a, b)));
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(vector_size);
HWY_EXPORT(copy_any);
HWY_EXPORT(stream_any);
HWY_EXPORT(read_any);

std::int64_t vector_bytes() { return HWY_DYNAMIC_DISPATCH(vector_size)(); }

void copy_bytes(const std::byte* in, std::byte* out, std::int64_t bytes, Stores stores) {
  HWY_DYNAMIC_DISPATCH(copy_any)(in, out, bytes, stores);
}

void stream_vectors(const StreamVectors& all, std::int64_t begin, std::int64_t end,
                    StreamForm form) {
  HWY_DYNAMIC_DISPATCH(stream_any)(all, begin, end, form);
}

std::uint64_t read_vectors(const std::byte* in, std::int64_t vectors) {
  return HWY_DYNAMIC_DISPATCH(read_any)(in, vectors);
}

}  // namespace normbench
#endif
