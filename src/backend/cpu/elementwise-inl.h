// Included once per instruction set, by files that Highway compiles once per instruction set.
#if defined(NORMBENCH_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_ELEMENTWISE_INL_H_
#undef NORMBENCH_ELEMENTWISE_INL_H_
#else
#define NORMBENCH_ELEMENTWISE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "backend/cpu/elementwise.h"
#include "backend/cpu/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <DType T>
struct StorageOf {
  using Type = std::uint16_t;
};
template <>
struct StorageOf<DType::UInt8> {
  using Type = std::uint8_t;
};
template <>
struct StorageOf<DType::Float32> {
  using Type = float;
};
template <DType T>
using Storage = typename StorageOf<T>::Type;

template <DType T>
HWY_INLINE VF load(const Storage<T>* p) {
  const F f;
  if constexpr (T == DType::Float32) {
    return hn::LoadU(f, p);
  } else if constexpr (T == DType::UInt8) {
    const hn::RebindToSigned<F> i;
    return hn::ConvertTo(f, hn::PromoteTo(i, hn::LoadU(hn::Rebind<std::uint8_t, F>(), p)));
  } else if constexpr (T == DType::Float16) {
    return float_from_half(hn::LoadU(Half(), p));
  } else {
    return hn::BitCast(f, hn::ShiftLeft<16>(hn::PromoteTo(U(), hn::LoadU(Half(), p))));
  }
}

template <Stores S, class D, class V, class T>
HWY_INLINE void put(D d, V v, T* p) {
  if constexpr (S == Stores::NonTemporal) {
    hn::Stream(v, d, p);
  } else {
    hn::StoreU(v, d, p);
  }
}

/// Float vectors that make one whole vector of stores.
template <DType T>
constexpr int vectors_per_block() {
  return kScalar ? 1 : 4 / static_cast<int>(sizeof(Storage<T>));
}

/// One vector of floats where a block is no more than that.
template <DType To, Stores S>
HWY_INLINE void put_single(VF v, Storage<To>* out) {
  if constexpr (To == DType::Float32) {
    put<S>(F(), v, out);
  } else if constexpr (To == DType::UInt8) {
    hn::StoreU(bytes_from_float(v), Quarter(), out);
  } else {
    hn::StoreU(narrow<To>(v), Half(), out);
  }
}

/// One block of four vectors. A template, because the scalar instruction set has no Combine.
template <DType From, Stores S, class Bytes, class Function>
HWY_INLINE void put_bytes(Bytes whole, const Storage<From>* in, std::uint8_t* out, Function& f) {
  const std::size_t n = hn::Lanes(F());
  const hn::Half<Bytes> half;
  const VQuarter a = bytes_from_float(f(load<From>(in)));
  const VQuarter b = bytes_from_float(f(load<From>(in + n)));
  const VQuarter c = bytes_from_float(f(load<From>(in + 2 * n)));
  const VQuarter d = bytes_from_float(f(load<From>(in + 3 * n)));
  put<S>(whole, Combine(whole, Combine(half, d, c), Combine(half, b, a)), out);
}

/// Even and odd bytes apart become floats: no lane has to move.
template <Stores S, class Function>
HWY_INLINE void put_woven(const std::uint8_t* in, std::uint16_t* out, Function& f) {
  const hn::RebindToSigned<F> i;
  const auto two = hn::PromoteTo(
      U(), hn::LoadU(Half(), reinterpret_cast<const std::uint16_t*>(in)));
  const auto even = hn::BitCast(i, hn::And(two, hn::Set(U(), 0xFF)));
  const auto odd = hn::BitCast(i, hn::ShiftRight<8>(two));
  put<S>(Whole16(), woven_bfloat(f(hn::ConvertTo(F(), even)), f(hn::ConvertTo(F(), odd))), out);
}

/// One block: loads, `f` on each vector in order, stores.
template <DType From, DType To, Stores S, class Function>
HWY_INLINE void block(const Storage<From>* in, Storage<To>* out, Function& f) {
  if constexpr (vectors_per_block<To>() == 1) {
    put_single<To, S>(f(load<From>(in)), out);
  } else if constexpr (To == DType::UInt8) {
    put_bytes<From, S>(hn::ScalableTag<std::uint8_t>(), in, out, f);
  } else if constexpr (To == DType::BFloat16 && From == DType::UInt8 && Function::kUniform) {
    put_woven<S>(in, out, f);
  } else {
    const VF low = f(load<From>(in));
    const VF high = f(load<From>(in + hn::Lanes(F())));
    put<S>(Whole16(), narrow<To>(low, high), out);
  }
}

/// Fewer elements than a block, through the same instructions, so that every element of a run has
/// the same value wherever the run starts.
template <DType From, DType To, class Function>
HWY_INLINE void partial(const Storage<From>* in, Storage<To>* out, std::int64_t elements,
                        Function& f) {
  if (elements <= 0) return;
  constexpr std::int64_t kBlock = HWY_MAX_BYTES;  // four vectors of floats
  HWY_ALIGN Storage<From> from[kBlock] = {};
  HWY_ALIGN Storage<To> to[kBlock];
  const auto count = static_cast<std::size_t>(std::min(elements, kBlock));
  std::memcpy(from, in, count * sizeof(*in));
  block<From, To, Stores::Normal>(from, to, f);
  std::memcpy(out, to, count * sizeof(*out));
}

/// The whole run: up to the first aligned output, whole blocks, the rest.
template <DType From, DType To, Stores S, class Function>
HWY_INLINE void blocks(const Run& run, Function f) {
  const auto* in = reinterpret_cast<const Storage<From>*>(run.in);
  auto* out = reinterpret_cast<Storage<To>*>(run.out);
  const auto step = static_cast<std::int64_t>(hn::Lanes(F())) * vectors_per_block<To>();
  const auto misaligned = static_cast<std::int64_t>(
      reinterpret_cast<std::uintptr_t>(out) / sizeof(*out) % static_cast<std::uintptr_t>(step));
  std::int64_t i = std::min(run.elements, (step - misaligned) % step);
  partial<From, To>(in, out, i, f);
  f.at(i);
  constexpr int kUnroll = Function::kBlocks;
  for (; i + kUnroll * step <= run.elements; i += kUnroll * step)
    for (int k = 0; k < kUnroll; ++k) block<From, To, S>(in + i + k * step, out + i + k * step, f);
  for (; i + step <= run.elements; i += step) block<From, To, S>(in + i, out + i, f);
  partial<From, To>(in + i, out + i, run.elements - i, f);
}

struct Identity {
  static constexpr bool kUniform = true;
  static constexpr int kBlocks = 1;
  HWY_INLINE void at(std::int64_t) {}
  HWY_INLINE VF operator()(VF v) const { return v; }
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

/// The same constants for every element.
template <class Operation>
class OneChannel {
 public:
  static constexpr bool kUniform = true;  // for every lane
  static constexpr int kBlocks = 1;
  HWY_INLINE OneChannel(const float* a, const float* b)
      : a_(hn::Set(F(), *a)), b_(hn::Set(F(), *b)) {}
  HWY_INLINE void at(std::int64_t) {}
  HWY_INLINE VF operator()(VF v) const { return Operation::apply(v, a_, b_); }

 private:
  VF a_, b_;
};

/// Constants that repeat every `period` elements, loaded from the repeated table.
template <class Operation>
class AllChannels {
 public:
  static constexpr bool kUniform = false;
  static constexpr int kBlocks = 1;
  HWY_INLINE AllChannels(const float* a, const float* b, std::int64_t period)
      : a_(a), b_(b), period_(period), step_(static_cast<std::int64_t>(hn::Lanes(F())) % period) {}
  HWY_INLINE void at(std::int64_t element) { phase_ = element % period_; }
  HWY_INLINE VF operator()(VF v) {
    const VF result = Operation::apply(v, hn::LoadU(F(), a_ + phase_), hn::LoadU(F(), b_ + phase_));
    phase_ += step_;
    phase_ -= phase_ >= period_ ? period_ : 0;
    return result;
  }

 private:
  const float *a_, *b_;
  std::int64_t period_, step_, phase_ = 0;
};

/// Constants that repeat every three vectors, in registers. `kBlocks` blocks take each of them
/// equally often, so that the turning costs nothing.
template <class Operation>
class ThreeVectors {
 public:
  static constexpr bool kUniform = false;
  static constexpr int kBlocks = 3;
  HWY_INLINE ThreeVectors(const float* a, const float* b, std::int64_t period)
      : a_(a), b_(b), period_(period) {
    at(0);
  }
  HWY_INLINE void at(std::int64_t element) {
    const F f;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(f));
    const std::int64_t x = element % period_, y = (x + lanes) % period_, z = (y + lanes) % period_;
    a0_ = hn::LoadU(f, a_ + x), a1_ = hn::LoadU(f, a_ + y), a2_ = hn::LoadU(f, a_ + z);
    b0_ = hn::LoadU(f, b_ + x), b1_ = hn::LoadU(f, b_ + y), b2_ = hn::LoadU(f, b_ + z);
  }
  HWY_INLINE VF operator()(VF v) {
    const VF a = a0_, b = b0_;
    a0_ = a1_, a1_ = a2_, a2_ = a;
    b0_ = b1_, b1_ = b2_, b2_ = b;
    return Operation::apply(v, a, b);
  }

 private:
  const float *a_, *b_;
  std::int64_t period_;
  VF a0_, a1_, a2_, b0_, b1_, b2_;
};

template <DType From, DType To, Stores S, class Operation>
void per_channel(const Run& run, const float* a, const float* b) {
  if (run.period == 1) {
    blocks<From, To, S>(run, OneChannel<Operation>(a, b));
  } else if (run.period == 3) {
    blocks<From, To, S>(run, ThreeVectors<Operation>(a, b, run.period));
  } else {
    blocks<From, To, S>(run, AllChannels<Operation>(a, b, run.period));
  }
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
