// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_HALF_INL_H_
#undef NORMBENCH_HALF_INL_H_
#else
#define NORMBENCH_HALF_INL_H_
#endif

#include <hwy/highway.h>

#include <array>

#include "core/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using U = hn::RebindToUnsigned<F>;
using Half = hn::Rebind<std::uint16_t, F>;
using Quarter = hn::Rebind<std::uint8_t, F>;
using Whole16 = hn::ScalableTag<std::uint16_t>;
using VF = hn::Vec<F>;
using VU = hn::Vec<U>;
using VHalf = hn::Vec<Half>;
using VQuarter = hn::Vec<Quarter>;

// True for instruction sets with instructions that convert to and from float16. Other instruction
// sets convert with integer operations.
constexpr bool kHasFloat16 = HWY_TARGET <= HWY_AVX2;
constexpr bool kScalar = HWY_TARGET == HWY_SCALAR;

HWY_INLINE VF float_from_half(VHalf half) {
  const F f;
  const U u;
  if constexpr (kHasFloat16)
    return hn::PromoteTo(f, hn::BitCast(hn::Rebind<hwy::float16_t, F>(), half));
  const VU bits = hn::PromoteTo(u, half);
  const VU magnitude = hn::And(bits, hn::Set(u, 0x7FFF));
  const VU sign = hn::ShiftLeft<16>(hn::Xor(bits, magnitude));
  const VF rebias = hn::BitCast(f, hn::Set(u, (127u + 112u) << 23));  // 2^112
  const VU scaled = hn::BitCast(u, hn::Mul(hn::BitCast(f, hn::ShiftLeft<13>(magnitude)), rebias));
  const auto special = hn::Gt(magnitude, hn::Set(u, 0x7BFF));
  const VU exponent = hn::IfThenElseZero(special, hn::Set(u, 0x7F800000));
  return hn::BitCast(f, hn::Or(hn::Or(scaled, exponent), sign));
}

HWY_INLINE VHalf half_from_bits(VU bits) {  // each lane is at most 0xFFFF
  return hn::DemoteTo(Half(), hn::BitCast(hn::RebindToSigned<U>(), bits));
}

HWY_INLINE VHalf half_from_float(VF v) {
  const F f;
  const U u;
  if constexpr (kHasFloat16)
    return hn::BitCast(Half(), hn::DemoteTo(hn::Rebind<hwy::float16_t, F>(), v));
  const VU all = hn::BitCast(u, v);
  const VU magnitude = hn::And(all, hn::Set(u, 0x7FFFFFFF));
  const VU sign = hn::ShiftRight<16>(hn::Xor(all, magnitude));
  // Normal results: the exponent gets the bias of float16, and a carry rounds the mantissa to
  // nearest even.
  const VU odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(u, 1));
  const VU rebias = hn::Set(u, 0xFFFu - ((127u - 15u) << 23));
  const VU normal = hn::ShiftRight<13>(hn::Add(hn::Add(magnitude, rebias), odd));
  // Subnormal results: adding 0.5 lets the float unit round at the last bit of float16.
  const VU half_bits = hn::Set(u, (127u - 1u) << 23);
  const VF shifted = hn::Add(hn::BitCast(f, magnitude), hn::BitCast(f, half_bits));
  const VU subnormal = hn::Sub(hn::BitCast(u, shifted), half_bits);
  const VU infinity = hn::Set(u, 0x7C00), nan = hn::Set(u, 0x7E00);
  const VU special = hn::IfThenElse(hn::Gt(magnitude, hn::Set(u, 0x7F800000)), nan, infinity);
  const VU finite = hn::IfThenElse(hn::Lt(magnitude, hn::Set(u, 113u << 23)), subnormal, normal);
  const VU result =
      hn::IfThenElse(hn::Lt(magnitude, hn::Set(u, (127u + 16u) << 23)), finite, special);
  return half_from_bits(hn::Or(result, sign));
}

/// Adds the amount for rounding to bfloat16: 0x8000 if the last kept bit is set, otherwise 0x7FFF.
HWY_INLINE VU plus_half(VU bits) {
  const U u;
  const VU below = hn::Add(bits, hn::Set(u, 0x7FFF));
  if constexpr (HWY_TARGET <= HWY_AVX3) {  // uses a masked addition
    const auto odd = hn::TestBit(bits, hn::Set(u, 0x10000));
    return hn::IfThenElse(odd, hn::Add(below, hn::Set(u, 1)), below);
  }
  return hn::Add(below, hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 1)));
}

/// Rounds each lane to bfloat16, to nearest even, and returns the result in the upper 16 bits of
/// the lane. Highway's own conversion truncates. If `Kept` is true, every NaN stays NaN. If it is
/// false, only a NaN whose lower 16 bits are 0 is sure to stay NaN. A NaN that arithmetic makes is
/// of this kind.
template <bool Kept = true>
HWY_INLINE VU bfloat_above(VF v) {
  const U u;
  const VU bits = hn::BitCast(u, v);
  const VU rounded = plus_half(bits);
  if constexpr (!Kept) return rounded;
  const VU quiet = hn::Or(bits, hn::Set(u, 0x00400000));
  return hn::IfThenElse(hn::RebindMask(u, hn::IsNaN(v)), quiet, rounded);
}

/// Returns two vectors of floats as one vector of 16-bit floats. It is a template, so that the
/// scalar instruction set, which has no Combine and ConcatOdd, does not compile it.
template <DType T, class V>
HWY_INLINE auto narrow(V low, V high) {
  const Whole16 d;
  if constexpr (T == DType::Float16) {
    return Combine(d, half_from_float(high), half_from_float(low));
  } else {
    static_assert(T == DType::BFloat16);
    return ConcatOdd(d, hn::BitCast(d, bfloat_above(high)), hn::BitCast(d, bfloat_above(low)));
  }
}

/// Returns a vector of bfloat16 with alternating elements of `even` and `odd`. No lane has to move.
/// The lower 16 bits of a NaN must be 0.
template <class V>
HWY_INLINE auto woven_bfloat(V even, V odd) {
  const Whole16 d;
  const VU low = hn::ShiftRight<16>(bfloat_above<false>(even));
  return OddEven(hn::BitCast(d, bfloat_above<false>(odd)), hn::BitCast(d, low));
}

/// Returns a vector of floats as half a vector of 16-bit floats, or as a quarter of a vector of
/// bytes. Rounds to nearest even. For bytes, saturates and turns NaN into 0.
template <DType T>
HWY_INLINE auto narrow(VF v) {
  const F f;
  if constexpr (T == DType::UInt8) {
    const VF clamped = hn::Min(hn::Max(v, hn::Zero(f)), hn::Set(f, 255.0f));
    return hn::DemoteTo(Quarter(), hn::NearestInt(clamped));
  } else if constexpr (T == DType::Float16) {
    return half_from_float(v);
  } else {
    static_assert(T == DType::BFloat16);
    return half_from_bits(hn::ShiftRight<16>(bfloat_above(v)));
  }
}

/// Returns each lane rounded to the nearest integer, halves to even, and clamped to [0, 255]. NaN
/// becomes 0. For this, it adds 2^23 to each lane: the last bits of the sum are the integer.
HWY_INLINE hn::Vec<hn::RebindToSigned<F>> byte_lanes(VF v) {
  const F f;
  const hn::RebindToSigned<F> i;
  const VF clamped = hn::Min(hn::Max(v, hn::Zero(f)), hn::Set(f, 255.0f));
  const VF shift = hn::Set(f, 0x1p23f);
  return hn::Xor(hn::BitCast(i, hn::Add(clamped, shift)), hn::BitCast(i, shift));
}

/// Returns four vectors of floats as one vector of bytes, with the same values as narrow(). Lanes
/// cross blocks of 16 bytes only once, for all four vectors together. It is a template, so that the
/// scalar instruction set, which lacks the operations, does not compile it.
template <class Bytes, class V>
HWY_INLINE hn::Vec<Bytes> narrow_bytes(Bytes bytes, V a, V b, V c, V d) {
  const hn::Repartition<std::int16_t, Bytes> pairs;
  const auto ab = BitCast(bytes, ReorderDemote2To(pairs, byte_lanes(a), byte_lanes(b)));
  const auto cd = BitCast(bytes, ReorderDemote2To(pairs, byte_lanes(c), byte_lanes(d)));
  const auto packed = ConcatEven(bytes, cd, ab);
  constexpr std::uint32_t blocks = hn::MaxLanes(Bytes()) / 16;
  if constexpr (blocks == 1) return packed;
  // `packed` has 4 bytes of `a`, 4 of `b`, the next 4 of `a`, and so on. The bytes of `c` and `d`
  // follow in the same way.
  HWY_ALIGN static constexpr auto kOrder = [] {
    std::array<std::uint32_t, 4 * blocks> order{};
    for (std::uint32_t to = 0; to < 4 * blocks; ++to) {
      const std::uint32_t vector = to / blocks, block = to % blocks;
      order[to] = vector / 2 * 2 * blocks + 2 * block + vector % 2;
    }
    return order;
  }();
  const hn::Repartition<std::uint32_t, Bytes> fours;
  const auto indices = SetTableIndices(fours, kOrder.data());
  return BitCast(bytes, TableLookupLanes(BitCast(fours, packed), indices));
}

template <DType T>
using Storage = std::conditional_t<T == DType::Float32, float, Bits<T>>;

template <DType T>
HWY_INLINE VF load(const Storage<T>* p) {
  const F f;
  if constexpr (T == DType::Float32) {
    return hn::LoadU(f, p);
  } else if constexpr (T == DType::UInt8) {
    const hn::RebindToSigned<F> i;
    return hn::ConvertTo(f, hn::PromoteTo(i, hn::LoadU(Quarter(), p)));
  } else if constexpr (T == DType::Float16) {
    return float_from_half(hn::LoadU(Half(), p));
  } else {
    static_assert(T == DType::BFloat16);
    return hn::BitCast(f, hn::ShiftLeft<16>(hn::PromoteTo(U(), hn::LoadU(Half(), p))));
  }
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
