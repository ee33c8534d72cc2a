#include "bench/witness.h"

#include <immintrin.h>

#include <algorithm>

namespace normbench {
namespace {

constexpr std::int64_t kStep = 64;  // elements that step() computes

enum class Dtypes { BytesToFloats, BytesToHalves, Floats };

template <Dtypes D>
constexpr std::int64_t kIn = D == Dtypes::Floats ? 4 : 1;
template <Dtypes D>
constexpr std::int64_t kOut = D == Dtypes::BytesToHalves ? 2 : 4;

/// Loads 16 elements as floats.
template <Dtypes D>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline __m512 floats(const std::byte* in) {
  if constexpr (D == Dtypes::Floats) return _mm512_loadu_ps(in);
  return _mm512_cvtepi32_ps(
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in))));
}

/// Computes x * a + b for 64 elements x of one channel.
template <Dtypes D>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline void step(const std::byte* in,
                                                                       std::byte* out, float a,
                                                                       float b) {
  const __m512 va = _mm512_set1_ps(a), vb = _mm512_set1_ps(b);
  for (int i = 0; i < 4; ++i) {
    const __m512 y = _mm512_fmadd_ps(floats<D>(in + 16 * i * kIn<D>), va, vb);
    std::byte* to = out + 16 * i * kOut<D>;
    if constexpr (D == Dtypes::BytesToHalves)
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to),
                          _mm512_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    else
      _mm512_stream_ps(reinterpret_cast<float*>(to), y);
  }
}

/// Computes `N` parts of the tensor, one step of each part in turn. The distance between two parts
/// is a whole number of pages of the input, plus `skew` steps.
template <Dtypes D, int N>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] void run(const WitnessCase& what,
                                                               std::int64_t skew,
                                                               const std::byte* in,
                                                               std::byte* out) {
  const std::int64_t plane = what.in.shape.h * what.in.shape.w / kStep, channels = what.in.shape.c,
                     steps = what.in.shape.n * channels * plane, page = 4096 / (kStep * kIn<D>),
                     part = N == 1
                                ? steps
                                : std::max<std::int64_t>(0, steps / N / page * page - page + skew);
  std::int64_t left[N], channel[N];  // per part: steps left in its plane, and its channel
  for (int n = 0; n < N; ++n) {
    left[n] = plane - n * part % plane;
    channel[n] = n * part / plane % channels;
  }
  for (std::int64_t i = 0; i < part; ++i)
    for (int n = 0; n < N; ++n) {
      const std::int64_t s = i + n * part;
      step<D>(in + s * kStep * kIn<D>, out + s * kStep * kOut<D>, what.a[channel[n]],
              what.b[channel[n]]);
      if (--left[n] > 0) continue;
      left[n] = plane;
      channel[n] = (channel[n] + 1) % channels;
    }
  for (std::int64_t s = N * part; s < steps; ++s) {
    const auto c = static_cast<std::size_t>(s / plane % channels);
    step<D>(in + s * kStep * kIn<D>, out + s * kStep * kOut<D>, what.a[c], what.b[c]);
  }
  _mm_sfence();
}

template <Dtypes D>
std::vector<Witness> forms(const WitnessCase& what) {
  constexpr std::int64_t third = 4096 / 3 / (kStep * kIn<D>);
  return {[what](const std::byte* in, std::byte* out) { run<D, 1>(what, 0, in, out); },
          [what](const std::byte* in, std::byte* out) { run<D, 4>(what, 0, in, out); },
          [what](const std::byte* in, std::byte* out) { run<D, 6>(what, third, in, out); }};
}

}  // namespace

std::vector<Witness> witnesses(const WitnessCase& what) {
  const Shape& shape = what.in.shape;
  const bool planes = what.in.layout == Layout::Nchw && what.out.layout == Layout::Nchw;
  if (!planes || shape.h * shape.w % kStep != 0 || !__builtin_cpu_supports("avx512f") ||
      !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512dq"))
    return {};
  const DType from = what.in.dtype, to = what.out.dtype;
  if (from == DType::UInt8 && to == DType::Float32) return forms<Dtypes::BytesToFloats>(what);
  if (from == DType::UInt8 && to == DType::Float16) return forms<Dtypes::BytesToHalves>(what);
  if (from == DType::Float32 && to == DType::Float32) return forms<Dtypes::Floats>(what);
  return {};
}

}  // namespace normbench
