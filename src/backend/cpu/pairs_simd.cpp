#include "backend/cpu/pairs_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/pairs_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

struct Add {
  static HWY_INLINE VF apply(VF a, VF b) { return hn::Add(a, b); }
};
struct Multiply {
  static HWY_INLINE VF apply(VF a, VF b) { return hn::Mul(a, b); }
};

template <DType T>
constexpr std::int64_t kPairBlock = vectors_per_block<T>() *
                                    static_cast<std::int64_t>(hn::MaxLanes(F()));  // elements

template <DType T, Stores S, class Operation>
HWY_INLINE void pair_block(const Storage<T>* a, const Storage<T>* b, Storage<T>* out) {
  const VF low = Operation::apply(load<T>(a), load<T>(b));
  if constexpr (vectors_per_block<T>() == 1) {
    put_single<T, S>(low, out);
  } else {
    const std::size_t n = hn::Lanes(F());
    const VF high = Operation::apply(load<T>(a + n), load<T>(b + n));
    put<S>(Whole16(), narrow<T>(low, high), out);
  }
}

/// Computes fewer elements than a block has, in a padded copy, with the same instructions as for a
/// block.
template <DType T, class Operation>
HWY_INLINE void partial_pair(const Storage<T>* a, const Storage<T>* b, Storage<T>* out,
                             std::int64_t elements) {
  HWY_ALIGN Storage<T> in[2][kPairBlock<T>] = {};
  HWY_ALIGN Storage<T> to[kPairBlock<T>];
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(*out);
  std::memcpy(in[0], a, bytes);
  std::memcpy(in[1], b, bytes);
  pair_block<T, Stores::Normal, Operation>(in[0], in[1], to);
  std::memcpy(out, to, bytes);
}

/// Divides most of the elements into kParts parts, and computes one cache line of each part in
/// turn. Returns how many elements are done, counted from the first one.
template <DType T, class Operation>
HWY_INLINE std::int64_t pairs_in_parts(const Storage<T>* a, const Storage<T>* b, Storage<T>* out,
                                       std::int64_t elements) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(*out)), line = 64 / size;
  const std::int64_t phase = part_phase({a, b}, out);
  std::int64_t done = 0;
  while (const auto part = part_bytes((elements - done) / kParts * size, phase) / size) {
    for (std::int64_t i = done; i < done + part; i += line)
      for (std::int64_t at = i; at < i + kParts * part; at += part) {
        fetch_line_soon(a + at + kFetchAhead / size);
        fetch_line_soon(b + at + kFetchAhead / size);
        for (std::int64_t block = at; block < at + line; block += kPairBlock<T>)
          pair_block<T, Stores::NonTemporal, Operation>(a + block, b + block, out + block);
        // Without this fence, the compiler groups the prefetches of several parts, which is slower.
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
    done += kParts * part;
  }
  return done;
}

template <DType T, Stores S, class Operation>
void pairs(const std::byte* first, const std::byte* second, std::byte* to, std::int64_t elements) {
  const auto* a = reinterpret_cast<const Storage<T>*>(first);
  const auto* b = reinterpret_cast<const Storage<T>*>(second);
  auto* out = reinterpret_cast<Storage<T>*>(to);
  const auto past = reinterpret_cast<std::uintptr_t>(out) / sizeof(*out);
  const auto block = static_cast<std::uintptr_t>(kPairBlock<T>);
  std::int64_t i = std::min(elements, static_cast<std::int64_t>(-past % block));
  partial_pair<T, Operation>(a, b, out, i);
  if constexpr (S == Stores::NonTemporal)
    i += pairs_in_parts<T, Operation>(a + i, b + i, out + i, elements - i);
  for (; i + kPairBlock<T> <= elements; i += kPairBlock<T>)
    pair_block<T, S, Operation>(a + i, b + i, out + i);
  partial_pair<T, Operation>(a + i, b + i, out + i, elements - i);
}

template <class Operation>
PairFunction pick_pairs(DType dtype, Stores stores) {
  return for_floats<PairFunction>(
      dtype, stores, []<DType T, Stores S>() -> PairFunction { return &pairs<T, S, Operation>; });
}

PairFunction pick_add(DType dtype, Stores stores) { return pick_pairs<Add>(dtype, stores); }
PairFunction pick_multiply(DType dtype, Stores stores) {
  return pick_pairs<Multiply>(dtype, stores);
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_add);
HWY_EXPORT(pick_multiply);

PairFunction add_function(DType dtype, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(pick_add)(dtype, stores);
}
PairFunction multiply_function(DType dtype, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(pick_multiply)(dtype, stores);
}

}  // namespace normbench
#endif
