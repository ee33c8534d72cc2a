#include "ops/denormalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dtype.h"
#include "ops/cast.h"

namespace normbench {
namespace {

/// The bound of one channel before it is rounded: the larger of the two orders in which kernels may
/// compute it.
Accuracy unrounded_channel(const Accuracy& x, double scale, double mean, double std) {
  // ((x * std) + mean) / scale, every step rounded to float32.
  const Accuracy spread = stored(times(x, std), DType::Float32);
  const Accuracy moved = stored(minus(spread, -mean), DType::Float32);
  const Accuracy as_written = scale == 1 ? moved : stored(over(moved, scale), DType::Float32);
  // x * a + b with a = std / scale and b = mean / scale, prepared in double and rounded to float32;
  // without a fused instruction the product is rounded too.
  const Accuracy product = stored(times(x, std / scale), DType::Float32);
  const Accuracy one_step = stored(minus(product, -mean / scale), DType::Float32);
  return hull(as_written, one_step);
}

double read_divisor(Reader& reader, std::string_view key) {
  constexpr double most = std::numeric_limits<float>::max();
  const double value = reader.number(key, 1, -most, most);
  if (value == 0)
    reader.complain_at(key, fmt::format("{} must not be 0", key));
  else if (std::abs(value) < std::numeric_limits<float>::min())
    reader.complain_at(key, fmt::format("{} is too near to 0 for float32", value));
  return value;
}

}  // namespace

Denormalize Denormalize::read(Reader& reader) {
  Denormalize op{.mean = read_channel_values(reader, "mean"),
                 .std = read_channel_divisors(reader, "std"),
                 .scale = read_divisor(reader, "scale")};
  if (reader.has("layout")) op.layout = reader.word("layout", Layout::Nchw);
  return op;
}

std::vector<TensorDesc> Denormalize::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  check_float(x);
  check_channels(mean, "means", x.shape.c);
  check_channels(std, "stds", x.shape.c);
  return one_output(DType::UInt8, layout.value_or(x.layout), x.shape, x.memory);
}

void Denormalize::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                            std::int64_t) const {
  out[0] = map_channels(in[0], [&](double value, std::int64_t c) {
    return to_double(
        rounded<std::uint8_t>((value * at_channel(std, c) + at_channel(mean, c)) / scale));
  });
}

Accuracy Denormalize::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  const auto bound = [&](std::int64_t c) {
    return unrounded_channel(in[0], scale, at_channel(mean, c), at_channel(std, c));
  };
  Accuracy all = bound(0);
  const auto channels = static_cast<std::int64_t>(std::max(mean.size(), std.size()));
  for (std::int64_t c = 1; c < channels; ++c) all = hull(all, bound(c));
  return Cast{.to = DType::UInt8}.accuracy(std::span(&all, 1), {});
}

std::vector<Denormalize> Denormalize::samples(const Shape& shape) {
  const auto mean = channel_samples(shape.c, 103.53, 7.3),
             std = channel_samples(shape.c, 0.43, 0.01);
  const auto wide = channel_samples(shape.c, 58.395, -0.7);
  return {{.mean = mean, .std = std},
          {.mean = mean, .std = std, .layout = Layout::Nchw},
          {.mean = mean, .std = std, .layout = Layout::Nhwc},
          {.mean = mean, .std = wide, .scale = 3},
          {.mean = {0.5}, .std = {0.25}, .scale = 1 / 255.0, .layout = Layout::Nhwc},
          {.mean = {0.0}, .std = {-1.0}, .scale = -1, .layout = Layout::Nchw}};
}

}  // namespace normbench
