#include "backend/cpu/stream_simd.h"

#include <algorithm>
#include <cstring>

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

template <Stores S>
void copy_with(const std::byte* in, std::byte* out, std::int64_t bytes) {
  const std::int64_t size = vector_size();
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) %
                                              static_cast<std::uintptr_t>(size));
  std::int64_t i = past == 0 ? 0 : std::min(bytes, size - past);
  std::memcpy(out, in, static_cast<std::size_t>(i));
  for (; i + size <= bytes; i += size) store<S>(load(in + i), out + i);
  std::memcpy(out + i, in + i, static_cast<std::size_t>(bytes - i));
}

void copy_any(const std::byte* in, std::byte* out, std::int64_t bytes, Stores stores) {
  if (stores == Stores::NonTemporal) return copy_with<Stores::NonTemporal>(in, out, bytes);
  copy_with<Stores::Normal>(in, out, bytes);
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

/// Stores vectors [begin, end) of `writes`, each the exclusive or of its stretch of `reads`.
template <Stores S>
void fold(const StreamVectors& all, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = vector_size();
  const std::byte* in = all.in + begin * all.reads / all.writes * size;
  const std::int64_t least = all.reads / all.writes;
  std::int64_t rest = begin * all.reads % all.writes;
  for (std::int64_t j = begin; j < end; ++j) {
    std::int64_t stretch = least;
    rest += all.reads % all.writes;
    if (rest >= all.writes) {
      rest -= all.writes;
      ++stretch;
    }
    store<S>(exclusive_or(in, stretch), all.out + j * size);
    in += stretch * size;
  }
}

/// The common mixes, without counting: `Reads` loads, then `Writes` stores, one of them 1. `begin`
/// is a multiple of `Writes`, as every split is.
template <Stores S, int Reads, int Writes>
void fixed(const StreamVectors& all, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = vector_size();
  const std::byte* in = all.in + begin / Writes * Reads * size;
  std::byte* out = all.out + begin * size;  // local: stores of bytes may alias what `all` refers to
  std::byte* const past = all.out + end * size;
  for (; out < past; in += Reads * size, out += Writes * size) {
    V v = load(in);
    for (int k = 1; k < Reads; ++k) v = hn::Xor(v, load(in + k * size));
    for (int k = 0; k < Writes; ++k) store<S>(v, out + k * size);
  }
}

template <Stores S>
void fill(const StreamVectors& all, std::int64_t begin, std::int64_t end) {
  for (std::int64_t j = begin; j < end; ++j)
    store<S>(hn::Zero(Words()), all.out + j * vector_size());
}

template <Stores S>
void stream_with(const StreamVectors& all, std::int64_t begin, std::int64_t end) {
  const auto mix = [&](std::int64_t reads, std::int64_t writes) {
    return all.reads * writes == all.writes * reads;
  };
  if (all.reads == 0) return fill<S>(all, begin, end);
  if (mix(1, 1)) return fixed<S, 1, 1>(all, begin, end);
  if (mix(1, 2)) return fixed<S, 1, 2>(all, begin, end);
  if (mix(1, 4)) return fixed<S, 1, 4>(all, begin, end);
  if (mix(2, 1)) return fixed<S, 2, 1>(all, begin, end);
  if (mix(4, 1)) return fixed<S, 4, 1>(all, begin, end);
  if (all.reads > all.writes) return fold<S>(all, begin, end);
  spread<S>(all, begin, end);
}

void stream_any(const StreamVectors& all, std::int64_t begin, std::int64_t end, Stores stores) {
  if (stores == Stores::NonTemporal) return stream_with<Stores::NonTemporal>(all, begin, end);
  stream_with<Stores::Normal>(all, begin, end);
}

std::uint64_t read_any(const std::byte* in, std::int64_t vectors) {
  return hn::GetLane(exclusive_or(in, vectors));
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
