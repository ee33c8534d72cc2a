#include "backend/cpu/stream_simd.h"

#include <algorithm>
#include <atomic>
#include <cstring>

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

template <Stores S>
HWY_INLINE void store(V v, std::byte* out) {
  auto* p = reinterpret_cast<std::uint64_t*>(out);
  if constexpr (S == Stores::NonTemporal) {
    hn::Stream(v, Words(), p);
  } else {
    hn::StoreU(v, Words(), p);
  }
}

/// Stores vectors [begin, end) of `writes`, each the one of `reads` <= `writes` at the same share.
template <Stores S>
void spread(const StreamVectors& all, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = vector_size();
  const std::byte* in = all.in + begin * all.reads / all.writes * size;
  std::int64_t rest = begin * all.reads % all.writes;
  V v = load(in);
  for (std::int64_t j = begin; j < end; ++j) {
    store<S>(v, all.out + j * size);
    rest += all.reads;
    if (rest >= all.writes && j + 1 < end) {
      rest -= all.writes;
      in += size;
      v = load(in);
    }
  }
}

HWY_INLINE V exclusive_or(const std::byte* in, std::int64_t vectors) {
  const std::int64_t size = vector_size();
  V sum = hn::Zero(Words());
  for (std::int64_t i = 0; i < vectors; ++i) sum = hn::Xor(sum, load(in + i * size));
  return sum;
}

/// `Reads` loads as one vector.
template <int Reads>
HWY_INLINE V gathered(const std::byte* in) {
  V v = load(in);
  for (int k = 1; k < Reads; ++k) v = hn::Xor(v, load(in + k * vector_size()));
  return v;
}

template <Stores S, int Writes>
HWY_INLINE void repeat(V v, std::byte* out) {
  for (int k = 0; k < Writes; ++k) store<S>(v, out + k * vector_size());
}

/// In several places at once, while the next ones are fetched; `beside` is told after how many
/// units. Returns the units done.
template <int Reads, int Writes, class Beside>
std::int64_t in_places(const std::byte* in, std::byte* out, std::int64_t units, Beside beside) {
  constexpr std::int64_t kLine = 64;
  const std::int64_t reads = Reads * vector_size(), writes = Writes * vector_size();
  const std::int64_t step = std::max<std::int64_t>(1, kLine / reads);
  const bool alike = Reads == Writes && lie_alike(in, out);
  std::int64_t done = 0;
  while (const auto place =
             place_bytes((units - done) / kPlaces * reads, alike) / reads / step * step) {
    for (std::int64_t i = done; i < done + place; i += step)
      for (std::int64_t at = i; at < i + kPlaces * place; at += place) {
        for (std::int64_t line = 0; line < step * reads; line += kLine)
          fetch_line(in + (at + kPlaces * place) * reads + line);
        for (std::int64_t k = at; k < at + step; ++k)
          repeat<Stores::NonTemporal, Writes>(gathered<Reads>(in + k * reads), out + k * writes);
        beside(step);
        // Fetches gathered from several pages by the compiler cost a seventh on Emerald Rapids.
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
    done += kPlaces * place;
  }
  return done;
}

/// The common mixes, without counting: `Reads` loads, then `Writes` stores, one of them 1.
template <Stores S, int Reads, int Writes>
void fixed(const std::byte* in, std::byte* out, std::int64_t units) {
  const std::int64_t size = vector_size();
  std::int64_t i = 0;
  if constexpr (S == Stores::NonTemporal)
    i = in_places<Reads, Writes>(in, out, units, [](std::int64_t) {});
  for (; i < units; ++i)
    repeat<S, Writes>(gathered<Reads>(in + i * Reads * size), out + i * Writes * size);
}

/// Vectors [begin, end) of them. `begin` is a multiple of `Writes`, as every split is.
template <Stores S, int Reads, int Writes>
void part(const StreamVectors& all, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = vector_size();
  fixed<S, Reads, Writes>(all.in + begin / Writes * Reads * size, all.out + begin * size,
                          (end - begin) / Writes);
}

template <Stores S>
void copy_with(const std::byte* in, std::byte* out, std::int64_t bytes) {
  const std::int64_t size = vector_size();
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) %
                                              static_cast<std::uintptr_t>(size));
  std::int64_t i = past == 0 ? 0 : std::min(bytes, size - past);
  std::memcpy(out, in, static_cast<std::size_t>(i));
  const std::int64_t vectors = (bytes - i) / size;
  fixed<S, 1, 1>(in + i, out + i, vectors);
  i += vectors * size;
  std::memcpy(out + i, in + i, static_cast<std::size_t>(bytes - i));
}

void copy_any(const std::byte* in, std::byte* out, std::int64_t bytes, Stores stores) {
  if (stores == Stores::NonTemporal) return copy_with<Stores::NonTemporal>(in, out, bytes);
  copy_with<Stores::Normal>(in, out, bytes);
}

template <Stores S>
void fill(const StreamVectors& all, std::int64_t begin, std::int64_t end) {
  for (std::int64_t j = begin; j < end; ++j)
    store<S>(hn::Zero(Words()), all.out + j * vector_size());
}

/// The vectors that a mix reads and does not store: in proportion to `copies` of others.
class MoreReads {
 public:
  MoreReads(const std::byte* in, std::int64_t count, std::int64_t copies)
      : in_(in), count_(count), copies_(copies), left_(count) {}

  /// Those that `copies` have beside them.
  void beside(std::int64_t copies, V& sum) {
    for (due_ += count_ * copies; due_ >= copies_; due_ -= copies_) one(sum);
  }
  void rest(V& sum) {
    while (left_ > 0) one(sum);
  }

 private:
  void one(V& sum) {
    fetch_line(in_ + kPrefetchReach);
    sum = hn::Xor(sum, load(in_));
    in_ += vector_size();
    --left_;
  }

  const std::byte* in_;
  const std::int64_t count_, copies_;
  std::int64_t left_;     // of `count_`
  std::int64_t due_ = 0;  // of them, times `copies_`
};

/// As many vectors as are stored are copied, and the other reads are done meanwhile; the last
/// vector stored takes the exclusive or of those.
template <Stores S>
void fold_block(const std::byte* in, std::int64_t reads, std::byte* out, std::int64_t writes) {
  const std::int64_t size = vector_size(), last = writes - 1;
  V sum = hn::Zero(Words());
  MoreReads more(in + writes * size, reads - writes, writes);
  const auto beside = [&](std::int64_t copies) { more.beside(copies, sum); };
  std::int64_t i = 0;
  if constexpr (S == Stores::NonTemporal) i = in_places<1, 1>(in, out, last, beside);
  for (; i < last; ++i) {
    store<S>(load(in + i * size), out + i * size);
    beside(1);
  }
  more.rest(sum);
  store<S>(hn::Xor(load(in + last * size), sum), out + last * size);
}

/// Stores vectors [begin, end) of `writes` < `reads`, block by block.
template <Stores S>
void fold(const StreamVectors& all, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = vector_size();
  for (std::int64_t next; begin < end; begin = next) {
    next = std::min(end, begin + kStreamBlock);
    const std::int64_t first = begin * all.reads / all.writes;
    const std::int64_t reads = next * all.reads / all.writes - first;
    fold_block<S>(all.in + first * size, reads, all.out + begin * size, next - begin);
  }
}

template <Stores S>
void stream_with(const StreamVectors& all, std::int64_t begin, std::int64_t end) {
  if (all.reads == 0) return fill<S>(all, begin, end);
  if (all.is_mix(1, 1)) return part<S, 1, 1>(all, begin, end);
  if (all.is_mix(1, 2)) return part<S, 1, 2>(all, begin, end);
  if (all.is_mix(1, 4)) return part<S, 1, 4>(all, begin, end);
  if (all.is_mix(2, 1)) return part<S, 2, 1>(all, begin, end);
  if (all.is_mix(4, 1)) return part<S, 4, 1>(all, begin, end);
  if (all.reads > all.writes) return fold<S>(all, begin, end);
  spread<S>(all, begin, end);
}

void stream_any(const StreamVectors& all, std::int64_t begin, std::int64_t end, Stores stores) {
  if (stores == Stores::NonTemporal) return stream_with<Stores::NonTemporal>(all, begin, end);
  stream_with<Stores::Normal>(all, begin, end);
}

/// Four pages at once, as in places.
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

void stream_vectors(const StreamVectors& all, std::int64_t begin, std::int64_t end, Stores stores) {
  HWY_DYNAMIC_DISPATCH(stream_any)(all, begin, end, stores);
}

std::uint64_t read_vectors(const std::byte* in, std::int64_t vectors) {
  return HWY_DYNAMIC_DISPATCH(read_any)(in, vectors);
}

}  // namespace normbench
#endif
