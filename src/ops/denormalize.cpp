#include "ops/denormalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dtype.h"

namespace normbench {
namespace {

/// Estimates a value of one channel before it is rounded to uint8. Kernels may compute the value in
/// either of the two orders below. The error of the estimate is that of the order with the larger
/// error.
struct Unrounded {
  Unrounded(double mean, double std, double scale)
      : minus_mean(-mean),
        std(std),
        scale(scale),
        factor(std / scale),
        minus_term(-mean / scale),
        is_scaled(scale != 1) {}

  Estimate operator()(const Estimate& x) const {
    // Order 1: ((x * std) + mean) / scale, every step rounded to float32.
    Estimate as_written = stored(minus(stored(times(x, std), float32), minus_mean), float32);
    if (is_scaled) as_written = stored(over(as_written, scale), float32);
    // Order 2: x * a + b with a = std / scale and b = mean / scale, both computed in double and
    // rounded to float32. Without a fused multiply-add the product is rounded, too.
    const Estimate one_step = stored(minus(stored(times(x, factor), float32), minus_term), float32);
    return {as_written.value, std::max(as_written.error, one_step.error)};
  }

  Constant minus_mean, std;
  Divisor scale;
  Constant factor, minus_term;
  bool is_scaled;
  Rounding float32 = rounding_of(DType::Float32);
};

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

std::vector<Accuracy> Denormalize::accuracy(std::span<const Known> in, std::span<const Tensor64>,
                                            std::span<const TensorDesc>) const {
  Accuracy found = pointwise(in[0], [&](std::int64_t c) {
    const Unrounded unrounded(at_channel(mean, c), at_channel(std, c), scale);
    return [=](const Estimate& x) { return as_byte(unrounded(x)); };
  });
  found.whole = true;
  return {found};
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
