#include "ops/group_chain.h"

#include <algorithm>
#include <cmath>

#include "ops/group_statistics.h"

namespace normbench {
namespace {

constexpr auto of_gradient = std::to_array<std::string_view>({"dh", "x", "mean", "rstd"});

std::span<const std::string_view> input_names(Over over) {
  static constexpr auto of_group = std::to_array<std::string_view>({"x", "mean", "rstd"});
  static constexpr auto of_channel = std::to_array<std::string_view>({"x", "gamma", "beta"});
  return over == Over::Group ? std::span(of_group) : std::span(of_channel);
}

/// Throws Invalid if mean and rstd do not have one float32 value for each group of channels of each
/// image of x.
void check_statistics(const TensorDesc& x, const TensorDesc& mean, const TensorDesc& rstd) {
  const std::int64_t groups = std::max<std::int64_t>(mean.shape.c, 1);
  check_groups(groups, x.shape);
  check_parameter("mean", mean, of_groups(x.shape, groups));
  check_parameter("rstd", rstd, of_groups(x.shape, groups));
}

/// Returns the inputs mean and rstd of a self-test. Their number of groups is the middle one of
/// group_samples().
Feeds statistics_of(const TensorDesc& x) {
  const std::vector<std::int64_t> groups = group_samples(x.shape);
  const Feed mean{.desc = dense(DType::Float32, Layout::Nchw,
                                of_groups(x.shape, groups[groups.size() / 2]), x.memory)};
  return {mean, {.desc = mean.desc, .scale = 0x1p-12}};
}

Feed channel_feed(const TensorDesc& x) {
  return {.desc = dense(DType::Float32, Layout::Nchw, of_channels(x.shape), x.memory),
          .scale = 0x1p-7};
}

/// Returns a tensor like `a` in which each element is the value of `b` for its channel.
Tensor64 spread_over(const Tensor64& a, const Tensor64& b) {
  return map_channels(a, [&](double, std::int64_t c) { return value_at(b, c); });
}

}  // namespace

Moments Moments::read(Reader& reader) {
  const Moments op{.groups = reader.integer("groups", 1, 1, largest_extent),
                   .eps = read_eps(reader)};
  reader.require("groups", "of channels: 32");
  return op;
}

std::vector<TensorDesc> Moments::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  check_float(x);
  check_groups(groups, x.shape);
  return std::vector(2, dense(DType::Float32, Layout::Nchw, of_groups(x.shape, groups), x.memory));
}

void Moments::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  group_moments(in[0], groups, eps, out[0], out[1]);
}

std::vector<Accuracy> Moments::accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                        std::span<const TensorDesc>) const {
  return moments_accuracy(in[0], eps, exact);
}

std::vector<Moments> Moments::samples(const Shape& shape) {
  std::vector<Moments> ops;
  for (const std::int64_t groups : group_samples(shape)) ops.push_back({.groups = groups});
  return ops;
}

std::vector<TensorDesc> ScaleShift::infer(std::span<const TensorDesc> in) const {
  const auto names = input_names(over);
  check_inputs(in, names);
  const TensorDesc& x = in[0];
  check_float(x);
  if (over == Over::Group) {
    check_statistics(x, in[1], in[2]);
  } else {
    check_parameter(names[1], in[1], of_channels(x.shape));
    check_parameter(names[2], in[2], of_channels(x.shape));
  }
  return one_output(x.dtype, x.layout, x.shape, x.memory);
}

void ScaleShift::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                           std::int64_t) const {
  if (over == Over::Group)
    out[0] = group_scaled(in[0], in[1], in[2]);
  else
    out[0] = sums_of(products_of(in[0], spread_over(in[0], in[1])), spread_over(in[0], in[2]));
}

std::vector<Accuracy> ScaleShift::accuracy(std::span<const Known> in,
                                           std::span<const Tensor64> exact,
                                           std::span<const TensorDesc> out) const {
  const Known& x = in[0];
  const double u = unit_roundoff(DType::Float32);
  const std::int64_t group = x.values.shape.elements() / in[1].values.shape.elements();
  std::vector<double> errors;
  errors.reserve(x.values.values.size());
  each_of_channels(x.values.shape, [&](std::int64_t i, std::int64_t c) {
    const std::int64_t of = over == Over::Group ? i / group : c;
    const Estimate one = estimate_of(x, i), a = estimate_of(in[1], of), b = estimate_of(in[2], of);
    errors.push_back(over == Over::Group ? group_scaled(one, a, b, 4 * u).error
                                         : product(one, a).error + b.error);
  });
  return {computed_values(exact[0], std::move(errors), out[0].dtype)};
}

std::vector<Feeds> ScaleShift::feeds(const TensorDesc& x) const {
  if (over == Over::Channel) return {{{.desc = x}, channel_feed(x), channel_feed(x)}};
  Feeds all{{.desc = x}};
  for (const Feed& feed : statistics_of(x)) all.push_back(feed);
  return {all};
}

std::vector<TensorDesc> Mul::infer(std::span<const TensorDesc> in) const {
  check_inputs(in, std::to_array<std::string_view>({"a", "b"}));
  check_float(in[0]);
  if (in[1].shape == in[0].shape && in[1].dtype == in[0].dtype)
    check_like("b", in[1], "a", in[0]);
  else
    check_parameter("b, other than a,", in[1], of_channels(in[0].shape));
  return one_output(in[0].dtype, in[0].layout, in[0].shape, in[0].memory);
}

void Mul::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  const bool alike = in[0].shape == in[1].shape;
  out[0] = products_of(in[0], alike ? in[1] : spread_over(in[0], in[1]));
}

std::vector<Accuracy> Mul::accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                    std::span<const TensorDesc> out) const {
  const bool alike = in[0].values.shape == in[1].values.shape;
  std::vector<double> errors;
  errors.reserve(exact[0].values.size());
  each_of_channels(exact[0].shape, [&](std::int64_t i, std::int64_t c) {
    errors.push_back(product(estimate_of(in[0], i), estimate_of(in[1], alike ? i : c)).error);
  });
  return {computed_values(exact[0], std::move(errors), out[0].dtype)};
}

std::vector<Feeds> Mul::feeds(const TensorDesc& x) const {
  return {{{.desc = x}, {.desc = x, .scale = 0x1p-7}}, {{.desc = x}, channel_feed(x)}};
}

std::vector<TensorDesc> Sum::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  check_float(x);
  return one_output(DType::Float32, Layout::Nchw, of_channels(x.shape), x.memory);
}

void Sum::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = sum_channels(in[0]);
}

std::vector<Accuracy> Sum::accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                    std::span<const TensorDesc>) const {
  const Shape& shape = in[0].values.shape;
  const double sum = summation_error(shape.elements() / shape.c);
  std::vector<double> errors(static_cast<std::size_t>(shape.c));
  each_of_channels(shape, [&](std::int64_t i, std::int64_t c) {
    const Estimate x = estimate_of(in[0], i);
    errors[static_cast<std::size_t>(c)] += sum * (std::abs(x.value) + x.error) + x.error;
  });
  return {computed_values(exact[0], std::move(errors), DType::Float32)};
}

std::vector<TensorDesc> BatchNormBackward::infer(std::span<const TensorDesc> in) const {
  check_inputs(in, of_gradient);
  const TensorDesc& x = in[1];
  check_float(x);
  check_like("dh", in[0], "x", x);
  check_statistics(x, in[2], in[3]);
  return one_output(x.dtype, x.layout, x.shape, in[0].memory);
}

void BatchNormBackward::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                                  std::int64_t) const {
  out[0] = group_gradient(in[0], in[1], in[2], in[3]);
}

std::vector<Accuracy> BatchNormBackward::accuracy(std::span<const Known> in,
                                                  std::span<const Tensor64> exact,
                                                  std::span<const TensorDesc> out) const {
  return {computed_values(exact[0], gradient_errors(in[0], in[1], in[2], in[3]), out[0].dtype)};
}

std::vector<Feeds> BatchNormBackward::feeds(const TensorDesc& x) const {
  Feeds all{{.desc = x, .scale = 0x1p-7}, {.desc = x}};
  for (const Feed& feed : statistics_of(x)) all.push_back(feed);
  return {all};
}

std::vector<TensorDesc> Accumulate::infer(std::span<const TensorDesc> in) const {
  check_inputs(in, std::to_array<std::string_view>({"old", "new"}));
  check_float(in[0]);
  check_like("the new gradient", in[1], "the old one", in[0]);
  return one_output(in[0].dtype, in[0].layout, in[0].shape, in[0].memory);
}

void Accumulate::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                           std::int64_t) const {
  out[0] = sums_of(in[0], in[1]);
}

std::vector<Accuracy> Accumulate::accuracy(std::span<const Known> in,
                                           std::span<const Tensor64> exact,
                                           std::span<const TensorDesc> out) const {
  std::vector<double> errors;
  errors.reserve(exact[0].values.size());
  for (std::size_t i = 0; i < exact[0].values.size(); ++i)
    errors.push_back(in[0].error(i) + in[1].error(i));
  return {computed_values(exact[0], std::move(errors), out[0].dtype)};
}

}  // namespace normbench
