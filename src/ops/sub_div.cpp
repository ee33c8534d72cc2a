#include "ops/sub_div.h"

#include <fmt/format.h>

namespace normbench {
namespace {

std::vector<TensorDesc> floating(std::span<const TensorDesc> in, const std::vector<double>& values,
                                 std::string_view plural) {
  const TensorDesc& x = only_input(in);
  if (!is_float(x.dtype))
    throw Invalid(
        fmt::format("needs a floating-point input, got {} (cast first)", name_of(x.dtype)));
  check_channels(values, plural, x.shape.c);
  return output_like(in);
}

}  // namespace

Sub Sub::read(Reader& reader) {
  return {.mean = read_channel_values(reader, "mean"),
          .constants = reader.word("constants", Constants::Cached)};
}

std::vector<TensorDesc> Sub::infer(std::span<const TensorDesc> in) const {
  return floating(in, mean, "means");
}

void Sub::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = map_channels(in[0], [&](double x, std::int64_t c) { return x - at_channel(mean, c); });
}

std::vector<Accuracy> Sub::accuracy(std::span<const Known> in, std::span<const Tensor64>,
                                    std::span<const TensorDesc> out) const {
  const Computed computed(out[0].dtype);
  const double narrow = roundoff_of(rounds, Narrow::Constants, out[0].dtype);
  return {pointwise(in[0], [&](std::int64_t c) {
    return [computed, m = Constant(at_channel(mean, c), narrow)](const Estimate& x) {
      return computed(minus(x, m));
    };
  })};
}

std::vector<Sub> Sub::samples(const Shape& shape) {
  return {{.mean = channel_samples(shape.c, 123.675, -7.3)},
          {.mean = {7.25}, .constants = Constants::PerCall}};
}

Div Div::read(Reader& reader) {
  return {.std = read_channel_divisors(reader, "std"),
          .constants = reader.word("constants", Constants::Cached)};
}

std::vector<TensorDesc> Div::infer(std::span<const TensorDesc> in) const {
  return floating(in, std, "stds");
}

void Div::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = map_channels(in[0], [&](double x, std::int64_t c) { return x / at_channel(std, c); });
}

std::vector<Accuracy> Div::accuracy(std::span<const Known> in, std::span<const Tensor64>,
                                    std::span<const TensorDesc> out) const {
  const Computed computed(out[0].dtype);
  const double narrow = roundoff_of(rounds, Narrow::Constants, out[0].dtype);
  return {pointwise(in[0], [&](std::int64_t c) {
    return [computed, s = Divisor(at_channel(std, c), narrow)](const Estimate& x) {
      return computed(over(x, s));
    };
  })};
}

std::vector<Div> Div::samples(const Shape& shape) {
  return {{.std = channel_samples(shape.c, 123.675, -7.3)},
          {.std = {7.25}, .constants = Constants::PerCall}};
}

}  // namespace normbench
