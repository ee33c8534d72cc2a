#include "ops/group_norm.h"

#include <algorithm>
#include <cmath>

#include "ops/group_statistics.h"

namespace normbench {
namespace {

/// dy * gamma: the gradient with respect to (x - mean) * rstd.
Tensor64 weighted(const Tensor64& dy, const Tensor64& gamma) {
  return map_channels(dy, [&](double value, std::int64_t c) { return value * value_at(gamma, c); });
}

/// How far float32 arithmetic may be from dgamma and dbeta: their largest errors.
std::pair<double, double> parameter_errors(const Known& dy, const Known& x, const Known& mean,
                                           const Known& rstd) {
  const auto [n, c, h, w] = x.values.shape;
  const std::int64_t groups = mean.values.shape.c, plane = h * w;
  const double sum = summation_error(n * plane);
  std::vector<double> dgamma(static_cast<std::size_t>(c)), dbeta(static_cast<std::size_t>(c));
  for (std::int64_t i = 0; i < n * c; ++i) {
    const ScaledError scaled = scaled_error(x, mean, rstd, i / (c / groups), sum);
    double magnitude = 0;
    for (std::int64_t j = 0; j < plane; ++j)
      magnitude += std::abs(value_at(dy.values, i * plane + j));
    const double given = dy.accuracy.error * static_cast<double>(plane);
    const auto channel = static_cast<std::size_t>(i % c);
    dgamma[channel] +=
        magnitude * (sum * scaled.largest + scaled.error) + given * (scaled.largest + scaled.error);
    dbeta[channel] += magnitude * sum + given;
  }
  return {std::ranges::max(dgamma), std::ranges::max(dbeta)};
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
  const Inputs which = inputs();
  const Known& x = in[which.x];
  const DType dtype = out[0].dtype;
  const double u = unit_roundoff(DType::Float32);
  if (direction == Direction::Forward) {
    const std::vector<Accuracy> moments = moments_accuracy(x, eps, exact.subspan(1, 2));
    const Known mean{exact[1], moments[0]}, rstd{exact[2], moments[1]};
    const double gamma = affine ? in[which.gamma].largest() : 1;
    const double of_gamma = affine ? in[which.gamma].accuracy.error : 0;
    const double beta = affine ? in[which.beta].largest() : 0;
    double most = 0;
    for (std::int64_t i = 0; i < x.values.shape.n * groups; ++i) {
      const ScaledError h = scaled_error(x, mean, rstd, i, 4 * u);
      most = std::max(most, (gamma + of_gamma) * h.error + of_gamma * h.largest +
                                4 * u * (gamma * h.largest + beta));
    }
    if (affine) most += in[which.beta].accuracy.error;
    return {computed_values(exact[0], most, dtype), moments[0], moments[1]};
  }
  const Known &dy = in[which.dy], &mean = in[which.mean], &rstd = in[which.rstd];
  const auto with_old = [&](double error, int old) {
    return accumulate ? error + in[old].accuracy.error + u * in[old].largest() : error;
  };
  double of_dx = 0;
  if (affine) {
    const Tensor64 g = weighted(dy.values, in[which.gamma].values);
    of_dx = gradient_error({g, {.error = product_error(dy, in[which.gamma])}}, x, mean, rstd);
  } else {
    of_dx = gradient_error(dy, x, mean, rstd);
  }
  std::vector<Accuracy> all{computed_values(exact[0], with_old(of_dx, which.old_dx), dtype)};
  if (!affine) return all;
  const auto [of_dgamma, of_dbeta] = parameter_errors(dy, x, mean, rstd);
  all.push_back(computed_values(exact[1], with_old(of_dgamma, which.old_dgamma), DType::Float32));
  all.push_back(computed_values(exact[2], with_old(of_dbeta, which.old_dbeta), DType::Float32));
  return all;
}

Cost GroupNorm::fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const {
  // Forward a sum, a sum of squares and x * a + b; backward two sums and their parts of dx.
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
