/// Buffers that detect stray writes, and functions that compare a kernel row (an implementation of
/// an op) with the reference of the op.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "ops/checks.h"

namespace normbench {

/// A dense tensor between guards. The tensor and the guards are filled with poison (0xFF). The
/// tensor starts `shift` elements past a cache line.
class Guarded {
 public:
  explicit Guarded(const TensorDesc& desc, std::int64_t shift = 0) : desc_(desc) {
    bytes_.assign(static_cast<std::size_t>(desc.bytes() + 4 * kGuard), kPoison);
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    start_ = static_cast<std::size_t>(kGuard + (kGuard - address % kGuard) % kGuard +
                                      static_cast<std::uint64_t>(shift * size_of(desc.dtype)));
  }

  View view() { return {bytes_.data() + start_, desc_}; }
  std::vector<std::byte> payload() const {
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(start_);
    return {begin, begin + desc_.bytes()};
  }
  bool guards_intact() const {
    const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(start_);
    const auto poisoned = [](std::byte b) { return b == kPoison; };
    return std::all_of(bytes_.begin(), first, poisoned) &&
           std::all_of(first + desc_.bytes(), bytes_.end(), poisoned);
  }

 private:
  static constexpr std::byte kPoison{0xFF};
  static constexpr std::uint64_t kGuard = 64;
  TensorDesc desc_;
  std::vector<std::byte> bytes_;
  std::size_t start_;
};

/// Fills a view with values in [0, 255], which are whole numbers for uint8.
inline void fill(const View& view, unsigned seed = 1) {
  std::mt19937 random(seed);
  Tensor64 values{.shape = view.desc.shape, .values = {}};
  for (std::int64_t i = 0; i < view.desc.elements(); ++i)
    values.values.push_back(static_cast<double>(random() % 65281) / 256.0);
  from_double(values, view, 0);
}

/// Describes the values that fill() writes to a view of this dtype.
inline Accuracy filled(DType dtype) {
  return {.low = 0, .high = 255, .whole = dtype == DType::UInt8};
}

/// Describes the first element of `actual` whose distance from `expected` exceeds its bound.
/// Returns nothing if there is none.
inline std::optional<std::string> mismatch(const Tensor64& expected, const View& actual,
                                           const Errors& bounds) {
  const Tensor64 got = to_double(actual, 0, actual.desc.shape.n);
  for (std::size_t i = 0; i < got.values.size(); ++i)
    if (!(std::abs(got.values[i] - expected.values[i]) <= bounds.at(i)))
      return "element " + std::to_string(i) + ": " + std::to_string(got.values[i]) +
             " instead of " + std::to_string(expected.values[i]) + ", bound " +
             std::to_string(bounds.at(i));
  return std::nullopt;
}

/// Returns the result of the op's reference for input `in`. `out` describes the output.
inline Tensor64 expected_of(const Op& op, const View& in, const TensorDesc& out) {
  const std::vector<Tensor64> from{to_double(in, 0, in.desc.shape.n)};
  std::vector<Tensor64> to(1);
  to[0].shape = out.shape;
  to[0].values.resize(static_cast<std::size_t>(out.elements()));
  reference(op, from, to, 0);
  return to[0];
}

/// Returns the error bounds of the op for the result of expected_of(). `in` must be filled by
/// fill().
inline Errors bounds_of(const Op& op, const View& in, const TensorDesc& out) {
  const Tensor64 from = to_double(in, 0, in.desc.shape.n);
  const Known known{from, filled(in.desc.dtype)};
  const Tensor64 exact = expected_of(op, in, out);
  return accuracies(op, std::span(&known, 1), std::span(&exact, 1), std::span(&out, 1))[0].errors;
}

/// Runs a CPU kernel once on a team of `threads` threads.
inline void launch(const Kernel& kernel, const Op& op, const View& in, const View& out,
                   int threads) {
  const Signature signature{.in = {in.desc}, .out = {out.desc}};
  ASSERT_TRUE(kernel.accepts(op, signature));
  const auto queue = make_cpu_backend()->make_queue(threads, nullptr);
  kernel.prepare(op, signature)(*queue, std::span(&in, 1), std::span(&out, 1), {});
  queue->drain();
}

inline std::vector<Kernel> cpu_rows() {
  const auto backend = make_cpu_backend();
  return {backend->kernels().begin(), backend->kernels().end()};
}

/// Returns the CPU kernel row `name` of the op `op`. Fails the test if there is none.
inline Kernel cpu_row(std::string_view op, std::string_view name) {
  for (const Kernel& kernel : cpu_rows())
    if (kernel.op == op && kernel.name == name) return kernel;
  ADD_FAILURE() << "no row " << op << " " << name;
  return {};
}

}  // namespace normbench
