#include "ops/group_norm.h"

#include <algorithm>
#include <cmath>

#include "ops/group_statistics.h"

namespace normbench {
namespace {

/// Returns dy * gamma, the gradient with respect to (x - mean) * rstd.
Tensor64 weighted(const Tensor64& dy, const Tensor64& gamma) {
  return map_channels(dy, [&](double value, std::int64_t c) { return value * value_at(gamma, c); });
}

/// Returns the accuracy of dy * gamma.
Accuracy weighted_accuracy(const Known& dy, const Known& gamma) {
  std::vector<double> errors;
  errors.reserve(dy.values.values.size());
  each_of_channels(dy.values.shape, [&](std::int64_t i, std::int64_t c) {
    errors.push_back(product(estimate_of(dy, i), estimate_of(gamma, c)).error);
  });
  return {.errors = std::move(errors)};
}

/// Bounds on the errors of dgamma and dbeta, one for each channel. The bounds hold if the sums are
/// computed in float32.
struct ParameterErrors {
  std::vector<double> dgamma, dbeta;
};
ParameterErrors parameter_errors(const Known& dy, const Known& x, const Known& mean,
                                 const Known& rstd) {
  const Shape& shape = x.values.shape;
  const auto channels = static_cast<std::size_t>(shape.c);
  const std::int64_t group = shape.elements() / mean.values.shape.elements();
  const double sum = summation_error(shape.elements() / shape.c);
  ParameterErrors errors{std::vector<double>(channels), std::vector<double>(channels)};
  each_of_channels(shape, [&](std::int64_t i, std::int64_t c) {
    const Estimate h = group_scaled(estimate_of(x, i), estimate_of(mean, i / group),
                                    estimate_of(rstd, i / group), sum);
    const Estimate one = estimate_of(dy, i);
    const double of_dy = std::abs(one.value), of_h = std::abs(h.value) + h.error;
    errors.dgamma[static_cast<std::size_t>(c)] += of_dy * (sum * of_h + h.error) + one.error * of_h;
    errors.dbeta[static_cast<std::size_t>(c)] += sum * of_dy + one.error;
  });
  return errors;
}

/// Returns `tensor` with larger error bounds, which also cover one more rounding of each value,
/// with a relative error of `roundoff`.
Known rounded_by(double roundoff, const Known& tensor) {
  if (roundoff == 0) return tensor;
  std::vector<double> errors;
  errors.reserve(tensor.values.values.size());
  for (std::size_t i = 0; i < tensor.values.values.size(); ++i)
    errors.push_back(tensor.error(i) +
                     roundoff * (std::abs(tensor.values.values[i]) + tensor.error(i)));
  return {tensor.values, {.errors = std::move(errors)}};
}

/// Returns the error bounds of the sums of new and old gradients. `errors` has the bounds of the
/// new gradients, and `exact` has the exact sums.
std::vector<double> added(std::vector<double> errors, const Known& old, const Tensor64& exact) {
  const double u = unit_roundoff(DType::Float32);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double before = old.values.values[i];
    errors[i] += old.error(i) + u * (std::abs(before) + std::abs(exact.values[i] - before));
  }
  return errors;
}

}  // namespace

GroupNorm::Inputs GroupNorm::inputs() const {
  Inputs all;
  const auto next = [&](int& which, std::string_view called) {
    which = static_cast<int>(all.names.size());
    all.names.push_back(called);
  };
  const bool backward = direction == Direction::Backward;
  if (backward) next(all.dy, "dy");
  next(all.x, "x");
  if (affine) next(all.gamma, "gamma");
  if (affine && !backward) next(all.beta, "beta");
  if (!backward) return all;
  next(all.mean, "mean");
  next(all.rstd, "rstd");
  if (accumulate) next(all.old_dx, "old dx");
  if (accumulate && affine) next(all.old_dgamma, "old dgamma");
  if (accumulate && affine) next(all.old_dbeta, "old dbeta");
  return all;
}

GroupNorm GroupNorm::read(Reader& reader) {
  const GroupNorm op{.groups = reader.integer("groups", 1, 1, largest_extent),
                     .eps = read_eps(reader),
                     .affine = reader.boolean("affine", true),
                     .direction = reader.word("direction", Direction::Forward),
                     .accumulate = reader.boolean("accumulate", false)};
  reader.require("groups", "of channels: 32");
  if (op.accumulate && op.direction == Direction::Forward)
    reader.complain_at("accumulate", "goes with \"direction\": \"backward\"");
  return op;
}

std::vector<TensorDesc> GroupNorm::infer(std::span<const TensorDesc> in) const {
  const Inputs which = inputs();
  check_inputs(in, which.names);
  const TensorDesc& x = in[which.x];
  check_float(x);
  check_groups(groups, x.shape);
  const Shape channels = of_channels(x.shape), statistics = of_groups(x.shape, groups);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const int index = static_cast<int>(i);
    if (index == which.x) continue;
    if (index == which.dy || index == which.old_dx)
      check_like(which.names[i], in[i], "x", x);
    else
      check_parameter(which.names[i], in[i],
                      index == which.mean || index == which.rstd ? statistics : channels);
  }
  std::vector<TensorDesc> out = one_output(x.dtype, x.layout, x.shape, x.memory);
  const bool forward = direction == Direction::Forward;
  if (forward || affine)
    out.insert(out.end(), 2,
               dense(DType::Float32, Layout::Nchw, forward ? statistics : channels, x.memory));
  return out;
}

void GroupNorm::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                          std::int64_t) const {
  const Inputs which = inputs();
  const Tensor64& x = in[which.x];
  if (direction == Direction::Forward) {
    group_moments(x, groups, eps, out[1], out[2]);
    out[0] = group_scaled(x, out[1], out[2]);
    if (!affine) return;
    const Tensor64 &gamma = in[which.gamma], &beta = in[which.beta];
    out[0] = map_channels(out[0], [&](double value, std::int64_t c) {
      return value * value_at(gamma, c) + value_at(beta, c);
    });
    return;
  }
  const Tensor64 &dy = in[which.dy], &mean = in[which.mean], &rstd = in[which.rstd];
  const Tensor64 g = affine ? weighted(dy, in[which.gamma]) : dy;
  out[0] = group_gradient(g, x, mean, rstd);
  if (affine) {
    out[1] = sum_channels(products_of(dy, group_scaled(x, mean, rstd)));
    out[2] = sum_channels(dy);
  }
  if (!accumulate) return;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = sums_of(in[static_cast<std::size_t>(which.old_dx) + i], out[i]);
}

std::vector<Accuracy> GroupNorm::accuracy(std::span<const Known> in,
                                          std::span<const Tensor64> exact,
                                          std::span<const TensorDesc> out) const {
  return direction == Direction::Forward ? forward_accuracy(in, exact, out)
                                         : backward_accuracy(in, exact, out);
}

std::vector<Accuracy> GroupNorm::forward_accuracy(std::span<const Known> in,
                                                  std::span<const Tensor64> exact,
                                                  std::span<const TensorDesc> out) const {
  const Inputs which = inputs();
  const Known& x = in[which.x];
  std::vector<Accuracy> moments = moments_accuracy(x, eps, exact.subspan(1, 2));
  const double narrow = roundoff_of(rounds, Narrow::Statistics, out[0].dtype);
  const double constants = roundoff_of(rounds, Narrow::Constants, out[0].dtype);
  const Known mean = rounded_by(narrow, {exact[1], moments[0]}),
              rstd = rounded_by(narrow, {exact[2], moments[1]});
  const std::int64_t group = x.values.shape.elements() / mean.values.shape.elements();
  const double u = unit_roundoff(DType::Float32);
  std::vector<double> errors;
  errors.reserve(x.values.values.size());
  each_of_channels(x.values.shape, [&](std::int64_t i, std::int64_t c) {
    // The factor 4 covers four roundings: of x - mean, of its product with rstd, of the product
    // with gamma, and of gamma * rstd. Only some kernels round gamma * rstd: they compute it first
    // and subtract mean * gamma * rstd from beta.
    const Estimate h = group_scaled(estimate_of(x, i), estimate_of(mean, i / group),
                                    estimate_of(rstd, i / group), 4 * u);
    if (!affine) return errors.push_back(h.error);
    Estimate gamma = estimate_of(in[which.gamma], c), beta = estimate_of(in[which.beta], c);
    gamma.error += constants * std::abs(gamma.value);
    beta.error += constants * std::abs(beta.value);
    errors.push_back((std::abs(gamma.value) + gamma.error) * h.error +
                     gamma.error * std::abs(h.value) + beta.error + 2 * u * std::abs(beta.value));
  });
  return {computed_values(exact[0], std::move(errors), out[0].dtype), mean.accuracy, rstd.accuracy};
}

std::vector<Accuracy> GroupNorm::backward_accuracy(std::span<const Known> in,
                                                   std::span<const Tensor64> exact,
                                                   std::span<const TensorDesc> out) const {
  const Inputs which = inputs();
  const DType dtype = out[0].dtype;
  const double statistics = roundoff_of(rounds, Narrow::Statistics, dtype);
  const double constants = roundoff_of(rounds, Narrow::Constants, dtype);
  const double new_ones = roundoff_of(rounds, Narrow::Gradients, dtype);
  const Known &dy = in[which.dy], &x = in[which.x];
  const Known mean = rounded_by(statistics, in[which.mean]),
              rstd = rounded_by(statistics, in[which.rstd]);
  std::vector<std::vector<double>> errors;
  if (affine) {
    const Known gamma = rounded_by(constants, in[which.gamma]);
    const Tensor64 g = weighted(dy.values, gamma.values);
    errors.push_back(gradient_errors({g, weighted_accuracy(dy, gamma)}, x, mean, rstd));
    ParameterErrors of_parameters = parameter_errors(dy, x, mean, rstd);
    errors.push_back(std::move(of_parameters.dgamma));
    errors.push_back(std::move(of_parameters.dbeta));
  } else {
    errors.push_back(gradient_errors(dy, x, mean, rstd));
  }
  std::vector<Accuracy> all;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double narrow = std::max(i > 0 ? constants : 0, accumulate ? new_ones : 0);
    const Known* const old = accumulate ? &in[static_cast<std::size_t>(which.old_dx) + i] : nullptr;
    for (std::size_t j = 0; narrow > 0 && j < errors[i].size(); ++j) {
      const double fresh = exact[i].values[j] - (old ? old->values.values[j] : 0);
      errors[i][j] += narrow * (std::abs(fresh) + errors[i][j]);
    }
    if (old) errors[i] = added(std::move(errors[i]), *old, exact[i]);
    all.push_back(computed_values(exact[i], std::move(errors[i]), out[i].dtype));
  }
  return all;
}

Cost GroupNorm::fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const {
  // Operations per element. Forward: 1 for a sum, 2 for a sum of squares, 2 for x * a + b.
  // Backward: about 10 for two sums of products and for dx.
  const std::int64_t flops = direction == Direction::Forward ? 5 : 10;
  return {.read_bytes = total_bytes(in),
          .written_bytes = total_bytes(out),
          .flops = flops * out[0].elements()};
}

std::vector<Feeds> GroupNorm::feeds(const TensorDesc& x) const {
  const auto parameter = [&](const Shape& shape) {
    return dense(DType::Float32, Layout::Nchw, shape, x.memory);
  };
  constexpr double small = 0x1p-7, smaller = 0x1p-12;
  const Feed like{.desc = x}, gradient{.desc = x, .scale = small};
  const Feed of_channel{.desc = parameter(of_channels(x.shape)), .scale = small};
  const Feed mean{.desc = parameter(of_groups(x.shape, groups))};
  const Feed rstd{.desc = mean.desc, .scale = smaller};
  Feeds all;
  if (direction == Direction::Backward) all.push_back(gradient);
  all.push_back(like);
  if (affine) all.push_back(of_channel);
  if (direction == Direction::Forward) {
    if (affine) all.push_back(of_channel);
    return {all};
  }
  all.insert(all.end(), {mean, rstd});
  if (accumulate) all.push_back(like);
  if (accumulate && affine) all.insert(all.end(), 2, of_channel);
  return {all};
}

std::vector<GroupNorm> GroupNorm::samples(const Shape& shape) {
  std::vector<GroupNorm> ops;
  for (const std::int64_t groups : group_samples(shape))
    for (const bool affine : {true, false}) {
      ops.push_back({.groups = groups, .affine = affine});
      for (const bool accumulate : {false, true})
        ops.push_back({.groups = groups,
                       .affine = affine,
                       .direction = Direction::Backward,
                       .accumulate = accumulate});
    }
  return ops;
}

}  // namespace normbench
