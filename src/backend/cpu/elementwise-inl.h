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

/// Float vectors that make one vector of stores. uint8 is stored by quarters.
template <DType T>
constexpr std::int64_t vectors_per_block() {
  return !kScalar && (T == DType::Float16 || T == DType::BFloat16) ? 2 : 1;
}

/// One block: loads, `f` on each vector in order, stores.
template <DType From, DType To, Stores S, class Function>
HWY_INLINE void block(const Storage<From>* in, Storage<To>* out, Function& f) {
  const F d;
  if constexpr (To == DType::Float32) {
    put<S>(d, f(load<From>(in)), out);
  } else if constexpr (To == DType::UInt8) {
    const VF v = hn::Min(hn::Max(f(load<From>(in)), hn::Zero(d)), hn::Set(d, 255.0f));
    const hn::Rebind<std::uint8_t, F> bytes;
    hn::StoreU(hn::DemoteTo(bytes, hn::NearestInt(v)), bytes, out);
  } else if constexpr (kScalar) {
    hn::StoreU(narrow<To>(f(load<From>(in))), Half(), out);
  } else {
    const VF low = f(load<From>(in));
    const VF high = f(load<From>(in + hn::Lanes(d)));
    put<S>(Whole16(), narrow<To>(low, high), out);
  }
}

/// Fewer elements than a block, through the same instructions, so that every element of a run has
/// the same value wherever the run starts.
template <DType From, DType To, class Function>
HWY_INLINE void partial(const Storage<From>* in, Storage<To>* out, std::int64_t elements,
                        Function& f) {
  if (elements <= 0) return;
  constexpr std::int64_t kBlock = HWY_MAX_BYTES / 2;  // two vectors of floats
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
  for (; i + step <= run.elements; i += step) block<From, To, S>(in + i, out + i, f);
  partial<From, To>(in + i, out + i, run.elements - i, f);
}

struct Identity {
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

template <DType From, DType To, Stores S, class Operation>
void per_channel(const Run& run, const float* a, const float* b) {
  if (run.period == 1) {
    blocks<From, To, S>(run, OneChannel<Operation>(a, b));
  } else {
    blocks<From, To, S>(run, AllChannels<Operation>(a, b, run.period));
  }
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
