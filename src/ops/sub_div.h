#pragma once

#include "ops/checks.h"

namespace normbench {

/// Computes y = x - mean[c]. x and y have the same float dtype. Parameters: mean (one value, or one
/// per channel); constants (cached or per_call: when kernels prepare the constants).
struct Sub {
  static constexpr std::string_view name = "sub";
  static constexpr std::string_view about = "subtract the per-channel mean";
  static constexpr int flops_per_element = 1;

  std::vector<double> mean = {};  // one value, or one per channel
  Constants constants = Constants::Cached;
  // The kinds of values that a peer (another library) rounds to the output's dtype. accuracy() adds
  // the errors of these roundings. Empty for normbench's own kernels, which keep these values in
  // float32.
  Rounds rounds = {};

  static Sub read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  bool row_wise() const { return true; }
  bool elementwise() const { return true; }
  static std::vector<Sub> samples(const Shape& shape);
};

/// Computes y = x / std[c]. x and y have the same float dtype. Parameters: std (one value, or one
/// per channel); constants (cached or per_call: when kernels prepare the constants).
struct Div {
  static constexpr std::string_view name = "div";
  static constexpr std::string_view about = "divide by the per-channel standard deviation";
  static constexpr int flops_per_element = 1;

  std::vector<double> std = {};  // one value, or one per channel; never 0
  Constants constants = Constants::Cached;
  // The kinds of values that a peer (another library) rounds to the output's dtype. accuracy() adds
  // the errors of these roundings. Empty for normbench's own kernels, which keep these values in
  // float32.
  Rounds rounds = {};

  static Div read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  bool row_wise() const { return true; }
  bool elementwise() const { return true; }
  static std::vector<Div> samples(const Shape& shape);
};

}  // namespace normbench
