// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_ELEMENTWISE_INL_H_
#undef NORMBENCH_ELEMENTWISE_INL_H_
#else
#define NORMBENCH_ELEMENTWISE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>

#include "backend/cpu/byte_table-inl.h"
#include "backend/cpu/elementwise.h"
#include "backend/cpu/fetch.h"
#include "backend/cpu/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <Stores S, class D, class V, class T>
HWY_INLINE void put(D d, V v, T* p) {
  if constexpr (S == Stores::NonTemporal) {
    hn::Stream(v, d, p);
  } else {
    hn::StoreU(v, d, p);
  }
}

/// The kind of store that goes past the cache. The scalar instruction set has no such stores and
/// uses normal ones.
constexpr Stores kPastCache = kScalar ? Stores::Normal : Stores::NonTemporal;

/// Returns make<dtype, stores>() for a floating-point dtype, and null for any other dtype.
template <class Function, class Make>
Function for_floats(DType dtype, Stores stores, const Make& make) {
  return with_fixed(dtype, [&]<DType T>(Fixed<T>) -> Function {
    if constexpr (!is_float(T))
      return nullptr;
    else if (stores == Stores::NonTemporal)
      return make.template operator()<T, kPastCache>();
    else
      return make.template operator()<T, Stores::Normal>();
  });
}

/// Returns the number of float vectors whose results fill one vector of dtype `T`. These float
/// vectors form a block.
template <DType T>
constexpr int vectors_per_block() {
  return kScalar ? 1 : 4 / static_cast<int>(sizeof(Storage<T>));
}

/// Stores a block that consists of one vector of floats.
template <DType To, Stores S>
HWY_INLINE void put_single(VF v, Storage<To>* out) {
  if constexpr (To == DType::Float32) {
    put<S>(F(), v, out);
  } else {
    hn::StoreU(narrow<To>(v), hn::Rebind<Storage<To>, F>(), out);
  }
}

/// Computes and stores a block of four vectors as bytes. It is a template over `Bytes`, so that the
/// scalar instruction set, which lacks the operations, does not compile it.
template <DType From, DType To, Stores S, class Bytes, class Function>
HWY_INLINE void put_bytes(Bytes whole, const Storage<From>* in, std::uint8_t* out,
                          const Function& f) {
  const std::size_t n = hn::Lanes(F());
  const VF a = f(load<From>(in), 0), b = f(load<From>(in + n), 1);
  const VF c = f(load<From>(in + 2 * n), 2), d = f(load<From>(in + 3 * n), 3);
  put<S>(whole, narrow_bytes(whole, a, b, c, d), out);
}

/// Computes a block of bytes and stores the results as bfloat16. Even and odd bytes are converted
/// to floats separately, so that no lane has to move.
template <Stores S, class Function>
HWY_INLINE void put_woven(const std::uint8_t* in, std::uint16_t* out, const Function& f) {
  const hn::RebindToSigned<F> i;
  const auto* pairs = reinterpret_cast<const std::uint16_t*>(in);
  const VU two = hn::PromoteTo(U(), hn::LoadU(Half(), pairs));
  const VF even = hn::ConvertTo(F(), hn::BitCast(i, hn::And(two, hn::Set(U(), 0xFF))));
  const VF odd = hn::ConvertTo(F(), hn::BitCast(i, hn::ShiftRight<8>(two)));
  put<S>(Whole16(), woven_bfloat(f(even, 0), f(odd, 0)), out);
}

/// Loads one block, applies `f` to each vector and stores the results. `f` also gets the number of
/// the vector, counted from `First`.
template <DType From, DType To, Stores S, int First = 0, class Function>
HWY_INLINE void block(const Storage<From>* in, Storage<To>* out, const Function& f) {
  if constexpr (vectors_per_block<To>() == 1) {
    put_single<To, S>(f(load<From>(in), First), out);
  } else if constexpr (sizeof(Storage<To>) == 1) {
    put_bytes<From, To, S>(hn::ScalableTag<std::uint8_t>(), in, out, f);
  } else if constexpr (To == DType::BFloat16 && From == DType::UInt8 && Function::kUniform) {
    put_woven<S>(in, out, f);
  } else {
    const VF low = f(load<From>(in), First);
    const VF high = f(load<From>(in + hn::Lanes(F())), First + 1);
    put<S>(Whole16(), narrow<To>(low, high), out);
  }
}

/// Returns the number of vectors in a chunk: one cache line of input, but at most four vectors and
/// at least one block.
template <DType From, DType To>
constexpr int vectors_per_chunk() {
  constexpr int line = 64 / static_cast<int>(sizeof(Storage<From>) * hn::MaxLanes(F()));
  return kScalar ? 1 : std::max(vectors_per_block<To>(), std::min(4, line));
}

template <DType From, DType To>
constexpr bool kLooksUp = From == DType::UInt8 && sizeof(Storage<To>) == 2 && kHasByteTables;
// Only runs with at least this many elements use a lookup table. Building the table takes as long
// as computing 256 elements.
constexpr std::int64_t kWorthATable = 512;

/// Adds a chunk() to the function object `Function`, which maps bytes to 16-bit values. chunk()
/// looks the results up in a table.
template <DType To, class Function>
class LookedUp : public Function {
 public:
  HWY_INLINE explicit LookedUp(const Function& f) : Function(f), table_(results(f)) {}

  template <Stores S>
  HWY_INLINE void chunk(const std::uint8_t* in, std::uint16_t* out) const {
    hn::Vec<Whole16> first, second;
    table_.look_up(in, first, second);
    put<S>(Whole16(), first, out);
    put<S>(Whole16(), second, out + hn::Lanes(Whole16()));
  }

 private:
  static HWY_INLINE std::array<std::uint16_t, 256> results(const Function& f) {
    std::array<std::uint8_t, 256> bytes;
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    std::array<std::uint16_t, 256> results;
    for (std::size_t i = 0; i < bytes.size(); i += hn::Lanes(Whole16()))
      block<DType::UInt8, To, Stores::Normal>(&bytes[i], &results[i], f);
    return results;
  }

  ByteTable<hn::ScalableTag<std::uint8_t>> table_;
};

/// Computes `Vectors` vectors: with the chunk() of `f` if it has one, and otherwise block by block.
template <DType From, DType To, Stores S, int Vectors, class Function>
HWY_INLINE void chunk(const Storage<From>* in, Storage<To>* out, const Function& f) {
  if constexpr (requires { f.template chunk<S>(in, out); }) {
    f.template chunk<S>(in, out);
  } else {
    constexpr int before = Vectors - vectors_per_block<To>();
    if constexpr (before > 0) chunk<From, To, S, before>(in, out, f);
    const std::size_t offset = static_cast<std::size_t>(before) * hn::Lanes(F());
    block<From, To, S, before>(in + offset, out + offset, f);
  }
}

/// Computes fewer elements than a block has, in a padded copy. Uses the same instructions as for a
/// block, so that the value of an element does not depend on where the run starts.
template <DType From, DType To, class Function>
HWY_INLINE void partial(const Storage<From>* in, Storage<To>* out, std::int64_t elements,
                        const Function& f) {
  if (elements <= 0) return;
  constexpr std::int64_t kBlock = HWY_MAX_BYTES;  // the number of elements in four float vectors
  HWY_ALIGN Storage<From> from[kBlock] = {};
  HWY_ALIGN Storage<To> to[kBlock];
  const auto count = static_cast<std::size_t>(std::min(elements, kBlock));
  std::memcpy(from, in, count * sizeof(*in));
  block<From, To, Stores::Normal>(from, to, f);
  std::memcpy(out, to, count * sizeof(*out));
}

/// A run is divided into kParts parts, which are computed side by side. Returns the number of
/// elements in each part if the parts share `elements` elements: a multiple of `unit`, or 0 if
/// there are too few elements.
template <DType From, DType To>
HWY_INLINE std::int64_t part_elements(const Storage<From>* in, Storage<To>* out,
                                      std::int64_t elements, std::int64_t unit) {
  constexpr std::int64_t least = std::min(sizeof(*in), sizeof(*out));  // bytes of the smaller type
  const std::int64_t phase =
      sizeof(*in) == sizeof(*out) ? part_phase({in}, out) : part_phase({}, out);
  return part_bytes(elements / kParts * least, phase) / least / unit * unit;
}

/// Divides most of the elements into kParts parts, and computes one chunk of each part in turn. The
/// constants of `f` repeat every `period` elements. `out` must be aligned to a vector. Returns how
/// many elements are done, counted from the first one.
template <DType From, DType To, class Function>
HWY_INLINE std::int64_t in_parts(const Storage<From>* in, Storage<To>* out, std::int64_t elements,
                                 std::int64_t period, Function& f) {
  constexpr int kVectors = vectors_per_chunk<From, To>();
  constexpr auto size = static_cast<std::int64_t>(sizeof(*in));
  const auto step = static_cast<std::int64_t>(hn::Lanes(F())) * kVectors;
  if (part_elements<From, To>(in, out, elements, step) == 0) return 0;  // saves a costly lcm()
  const std::int64_t unit = std::lcm(step, period);  // so all parts start with the same constants
  std::int64_t done = 0;
  while (const std::int64_t part =
             part_elements<From, To>(in + done, out + done, elements - done, unit)) {
    for (std::int64_t i = done; i < done + part; i += step, f.advance(kVectors))
      for (std::int64_t at = i; at < i + kParts * part; at += part) {
        fetch_lines_soon(in + at + kFetchAhead / size, step * size);
        chunk<From, To, Stores::NonTemporal, kVectors>(in + at, out + at, f);
        // Without this fence, the compiler groups the prefetches of several parts. That was about a
        // seventh slower on Emerald Rapids.
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
    done += kParts * part;
  }
  return done;
}

/// Returns how many elements to skip until `out` is aligned to `step` elements.
template <DType To>
HWY_INLINE std::int64_t until_aligned(const std::byte* out, std::int64_t step) {
  const auto past =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) / sizeof(Storage<To>) %
                                static_cast<std::uintptr_t>(step));
  return (step - past) % step;
}

/// Computes a whole run: first the elements before the first aligned output, then whole blocks, and
/// last the remaining elements.
template <DType From, DType To, Stores S, class Function>
HWY_INLINE void blocks(const Run& run, Function f) {
  constexpr int kVectors = vectors_per_chunk<From, To>(), kFewest = vectors_per_block<To>();
  const auto* in = reinterpret_cast<const Storage<From>*>(run.in);
  auto* out = reinterpret_cast<Storage<To>*>(run.out);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(F())), step = lanes * kFewest;
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(*in));
  std::int64_t i = std::min(run.elements, until_aligned<To>(run.out, step));
  partial<From, To>(in, out, i, f);
  f.at(i);
  if constexpr (S == Stores::NonTemporal && !kScalar)
    i += in_parts<From, To>(in + i, out + i, run.elements - i, run.period, f);
  for (; i + kVectors * lanes <= run.elements; i += kVectors * lanes, f.advance(kVectors)) {
    if (run.ahead) fetch_lines(run.ahead + i * bytes, kVectors * lanes * bytes);
    chunk<From, To, S, kVectors>(in + i, out + i, f);
  }
  for (; i + step <= run.elements; i += step, f.advance(kFewest))
    block<From, To, S>(in + i, out + i, f);
  partial<From, To>(in + i, out + i, run.elements - i, f);
}

/// Computes a short run with stores through the cache. It is not inlined, so that all callers share
/// one copy.
template <DType From, DType To, class Function>
HWY_NOINLINE void piece(const Run& run, const Function& f) {
  blocks<From, To, Stores::Normal>(run, f);
}

struct Identity {
  static constexpr bool kUniform = true;
  HWY_INLINE void at(std::int64_t) {}
  HWY_INLINE void advance(int) {}
  HWY_INLINE VF operator()(VF v, int) const { return v; }
};
struct Subtract {
  static HWY_INLINE VF apply(VF v, VF a, VF) { return hn::Sub(v, a); }
};
struct Divide {
  static HWY_INLINE VF apply(VF v, VF a, VF) { return hn::Div(v, a); }
};
struct MultiplyAdd {
  static HWY_INLINE VF apply(VF v, VF a, VF b) { return hn::MulAdd(v, a, b); }
};

/// Applies `Operation` with the same constants to every element.
template <class Operation>
class OneChannel {
 public:
  static constexpr bool kUniform = true;  // all lanes have the same constants
  HWY_INLINE OneChannel(const float* a, const float* b)
      : a_(hn::Set(F(), *a)), b_(hn::Set(F(), *b)) {}
  HWY_INLINE void at(std::int64_t) {}
  HWY_INLINE void advance(int) {}
  HWY_INLINE VF operator()(VF v, int) const { return Operation::apply(v, a_, b_); }

 private:
  VF a_, b_;
};

/// Applies `Operation` with constants that repeat every `period` elements. Loads them from the
/// table that repeat_channels() makes.
template <class Operation>
class AllChannels {
 public:
  static constexpr bool kUniform = false;
  HWY_INLINE AllChannels(const float* a, const float* b, std::int64_t period)
      : a_(a), b_(b), period_(period) {}
  /// Moves to `element` of the run. Vector 0 of the next calls starts at this element.
  HWY_INLINE void at(std::int64_t element) { phase_ = element % period_; }
  HWY_INLINE void advance(int vectors) {
    phase_ += vectors * lanes() % period_;
    phase_ -= phase_ >= period_ ? period_ : 0;
  }
  HWY_INLINE VF operator()(VF v, int vector) const {
    const std::int64_t first = phase_ + vector * lanes();
    return Operation::apply(v, hn::LoadU(F(), a_ + first), hn::LoadU(F(), b_ + first));
  }

 private:
  static HWY_INLINE std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(F())); }

  const float *a_, *b_;
  std::int64_t period_, phase_ = 0;
};

/// Applies `Operation` with the constants of three channels. They fill three vectors, which stay in
/// registers.
template <class Operation>
class ThreeChannels {
 public:
  static constexpr bool kUniform = false;
  HWY_INLINE ThreeChannels(const float* a, const float* b) : a_(a), b_(b) { at(0); }
  HWY_INLINE void at(std::int64_t element) {
    const F f;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(f));
    const std::int64_t x = element % 3, y = (x + lanes) % 3, z = (y + lanes) % 3;
    a0_ = hn::LoadU(f, a_ + x), a1_ = hn::LoadU(f, a_ + y), a2_ = hn::LoadU(f, a_ + z);
    b0_ = hn::LoadU(f, b_ + x), b1_ = hn::LoadU(f, b_ + y), b2_ = hn::LoadU(f, b_ + z);
  }
  HWY_INLINE void advance(int vectors) {
    for (int i = 0; i < vectors % 3; ++i) {
      const VF a = a0_, b = b0_;
      a0_ = a1_, a1_ = a2_, a2_ = a;
      b0_ = b1_, b1_ = b2_, b2_ = b;
    }
  }
  HWY_INLINE VF operator()(VF v, int vector) const {
    if (vector % 3 == 0) return Operation::apply(v, a0_, b0_);
    if (vector % 3 == 1) return Operation::apply(v, a1_, b1_);
    return Operation::apply(v, a2_, b2_);
  }

 private:
  const float *a_, *b_;
  VF a0_, a1_, a2_, b0_, b1_, b2_;
};

/// Computes a whole run with a function that is the same for every element. A long run uses a
/// lookup table if kLooksUp allows one.
template <DType From, DType To, Stores S, class Function>
HWY_INLINE void uniform(const Run& run, const Function& f) {
  if constexpr (kLooksUp<From, To>)
    if (run.elements >= kWorthATable) return blocks<From, To, S>(run, LookedUp<To, Function>(f));
  blocks<From, To, S>(run, f);
}

/// The position of one of the kParts parts of a run: the number of its first element, and the plane
/// and channel of that element.
struct PartOfPlanes {
  std::int64_t at, channel;
  Planes planes;
};

HWY_INLINE PartOfPlanes part_at(const Run& run, std::int64_t at) {
  PartOfPlanes part{.at = at, .channel = run.channel, .planes = run.planes};
  const std::int64_t beyond = at - run.planes.left;
  if (beyond < 0) {
    part.planes.left -= at;
    return part;
  }
  const std::int64_t planes = beyond / run.planes.elements;
  part.channel = (run.channel + 1 + planes) % run.planes.channels;
  part.planes.left = run.planes.elements - beyond % run.planes.elements;
  return part;
}

/// Divides the elements of a run of planes into kParts parts, and computes one chunk of each part
/// in turn. The first part starts at element `begin`, where the output must be aligned to a vector.
/// `pick(channel)` returns the function object of a channel. Returns the first element that is not
/// done.
template <DType From, DType To, class Pick>
HWY_INLINE std::int64_t planes_in_parts(const Run& run, std::int64_t begin, const Pick& pick) {
  constexpr int kVectors = vectors_per_chunk<From, To>();
  const auto* in = reinterpret_cast<const Storage<From>*>(run.in);
  auto* out = reinterpret_cast<Storage<To>*>(run.out);
  constexpr auto size = static_cast<std::int64_t>(sizeof(*in));
  const auto step = static_cast<std::int64_t>(hn::Lanes(F())) * kVectors;
  const auto whole_chunk = [&](std::int64_t at, std::int64_t channel) HWY_ATTR {
    fetch_lines_soon(in + at + kFetchAhead / size, step * size);
    chunk<From, To, Stores::NonTemporal, kVectors>(in + at, out + at, pick(channel));
  };
  const auto some = [&](std::int64_t at, std::int64_t count, std::int64_t channel) {
    piece<From, To>({.in = reinterpret_cast<const std::byte*>(in + at),
                     .out = reinterpret_cast<std::byte*>(out + at),
                     .elements = count,
                     .channel = channel,
                     .period = 1,
                     .planes = {}},
                    pick(channel));
  };
  std::int64_t done = begin;
  while (const std::int64_t part =
             part_elements<From, To>(in + done, out + done, run.elements - done, step)) {
    PartOfPlanes parts[kParts];
    for (std::int64_t p = 0; p < kParts; ++p) parts[p] = part_at(run, done + p * part);
    for (std::int64_t i = 0, next = 0; i < part; i = next) {
      next = part;
      for (const PartOfPlanes& one : parts)
        next = std::min(next, i + one.planes.left / step * step);
      for (std::int64_t k = i; k < next; k += step)
        for (const PartOfPlanes& one : parts) {
          whole_chunk(one.at + k, one.channel);
          // Without this fence, the compiler groups the prefetches of several parts. That was about
          // a seventh slower on Emerald Rapids.
          std::atomic_signal_fence(std::memory_order_seq_cst);
        }
      for (PartOfPlanes& one : parts) {
        one.planes.left -= next - i;
        Run::end_plane(one.planes, one.channel);
      }
      if (next > i || next == part) continue;
      next = i + step;  // in some part, a plane ends within this chunk
      for (PartOfPlanes& one : parts)
        for (std::int64_t at = one.at + i, end = at + step, count = 0; at < end; at += count) {
          count = std::min(end - at, one.planes.left);
          count == step ? whole_chunk(at, one.channel) : some(at, count, one.channel);
          one.planes.left -= count;
          Run::end_plane(one.planes, one.channel);
        }
    }
    done += kParts * part;
  }
  return done;
}

/// The fewest elements that a plane must have to be computed in parts. With shorter planes, the
/// parts would change constants so often that computing one plane after the other is faster.
constexpr std::int64_t kLongPlane = 32768;

/// Computes a run of several long planes in parts, with stores past the cache. Returns the first
/// element that is not done: 0 if the run has a single plane or short planes.
template <DType From, DType To, class Operation>
HWY_INLINE std::int64_t several_planes(const Run& run, const float* a, const float* b) {
  // The parts begin at the first cache line of the output, after `first` elements. If the output
  // starts at a cache line, `first` is 0. If planes also consist of whole chunks, then no chunk has
  // elements of two planes.
  constexpr std::int64_t line = 64 / sizeof(Storage<To>);
  const std::int64_t block = static_cast<std::int64_t>(hn::Lanes(F())) * vectors_per_block<To>();
  const std::int64_t first = until_aligned<To>(run.out, std::max(line, block));
  const Planes& planes = run.planes;
  if (run.elements <= planes.left || planes.left < first || planes.elements < kLongPlane) return 0;
  using One = OneChannel<Operation>;
  piece<From, To>({.in = run.in,
                   .out = run.out,
                   .elements = first,
                   .channel = run.channel,
                   .period = 1,
                   .planes = {}},
                  One(a + run.channel, b + run.channel));
  return planes_in_parts<From, To>(run, first, [&](std::int64_t c) { return One(a + c, b + c); });
}

template <DType From, DType To, Stores S, class Operation>
void per_channel(const Run& run, const float* a, const float* b) {
  if (run.period == 1) {
    std::int64_t done = 0;
    if constexpr (S == Stores::NonTemporal && !kScalar)
      done = several_planes<From, To, Operation>(run, a, b);
    each_plane(run, done, [&](std::int64_t begin, std::int64_t count, std::int64_t channel) {
      uniform<From, To, S>({.in = run.in + begin * std::int64_t{sizeof(Storage<From>)},
                            .out = run.out + begin * std::int64_t{sizeof(Storage<To>)},
                            .elements = count,
                            .channel = channel,
                            .period = 1,
                            .planes = {},
                            .ahead = run.ahead},
                           OneChannel<Operation>(a + channel, b + channel));
    });
  } else if (run.period == 3) {
    blocks<From, To, S>(run, ThreeChannels<Operation>(a, b));
  } else {
    blocks<From, To, S>(run, AllChannels<Operation>(a, b, run.period));
  }
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
