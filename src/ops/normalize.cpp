#include "ops/normalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ops/flip.h"

namespace normbench {
namespace {

/// The bound of one channel: the larger of the two orders in which kernels may compute it.
Accuracy channel_accuracy(const Accuracy& x, double scale, double mean, double std, DType to) {
  // ((x * scale) - mean) / std, every step rounded to float32.
  const Accuracy scaled = scale == 1 ? x : stored(times(x, scale), DType::Float32);
  const Accuracy centred = stored(minus(scaled, mean), DType::Float32);
  const Accuracy as_written = computed(over(centred, std), to);
  // x * a + b with a = scale / std and b = -mean / std, prepared in double and rounded to float32;
  // without a fused instruction the product is rounded too.
  const Accuracy product = stored(times(x, scale / std), DType::Float32);
  const Accuracy one_step = computed(minus(product, mean / std), to);
  return hull(as_written, one_step);
}

std::optional<Window> read_crop(Reader& reader) {
  if (!reader.has("crop")) return std::nullopt;
  Reader crop = reader.object("crop");
  if (reader.member("crop").is_object() && !crop.has("size"))
    crop.complain("needs \"size\" ([height, width])");
  const auto window = Window::read(crop);
  crop.finish();
  return window;
}

}  // namespace

Normalize Normalize::read(Reader& reader) {
  Normalize op{.mean = read_channel_values(reader, "mean"),
               .std = read_channel_divisors(reader, "std"),
               .to = reader.word("dtype", DType::Float32),
               .scale = reader.number("scale", 1, -std::numeric_limits<float>::max(),
                                      std::numeric_limits<float>::max()),
               .crop = read_crop(reader),
               .flip = reader.word("flip", Flip::None),
               .constants = reader.word("constants", Constants::Cached)};
  if (reader.has("layout")) op.layout = reader.word("layout", Layout::Nchw);
  if (!is_float(op.to))
    reader.complain_at("dtype",
                       fmt::format("normalize writes a float dtype, not {}", name_of(op.to)));
  return op;
}

std::vector<TensorDesc> Normalize::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  check_channels(mean, "means", x.shape.c);
  check_channels(std, "stds", x.shape.c);
  Shape shape = x.shape;
  if (crop) {
    crop->origin(shape.h, shape.w);
    shape.h = crop->height;
    shape.w = crop->width;
  }
  return one_output(to, layout.value_or(x.layout), shape, x.memory);
}

void Normalize::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                          std::int64_t) const {
  const Tensor64 x = mirrored(crop ? crop->cut(in[0]) : in[0], flip);
  out[0] = map_channels(x, [&](double value, std::int64_t c) {
    return (value * scale - at_channel(mean, c)) / at_channel(std, c);
  });
}

Accuracy Normalize::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const {
  const auto bound = [&](std::int64_t c) {
    return channel_accuracy(in[0], scale, at_channel(mean, c), at_channel(std, c), out[0].dtype);
  };
  Accuracy all = bound(0);
  const auto channels = static_cast<std::int64_t>(std::max(mean.size(), std.size()));
  for (std::int64_t c = 1; c < channels; ++c) all = hull(all, bound(c));
  return all;
}

std::vector<Normalize> Normalize::samples(const Shape& shape) {
  const auto mean = channel_samples(shape.c, 123.675, -7.3);
  const auto std = channel_samples(shape.c, 58.395, 1.7);
  const Window window = Window::inner(shape);
  std::vector<Normalize> ops;
  for (const DTypeRow& dtype : dtype_rows) {
    const DType to = dtype.value;
    if (!is_float(to)) continue;
    ops.push_back({.mean = mean, .std = std, .to = to});
    ops.push_back({.mean = mean, .std = std, .to = to, .layout = Layout::Nchw});
    ops.push_back({.mean = mean,
                   .std = std,
                   .to = to,
                   .scale = 1 / 255.0,
                   .layout = Layout::Nhwc,
                   .constants = Constants::PerCall});
    ops.push_back({.mean = mean, .std = std, .to = to, .crop = window});
    ops.push_back({.mean = mean, .std = std, .to = to, .flip = Flip::Vertical});
    for (const Layout layout : {Layout::Nchw, Layout::Nhwc})
      for (const Flip flip : {Flip::Horizontal, Flip::Both})
        ops.push_back({.mean = flip == Flip::Both ? std::vector{0.5} : mean,
                       .std = {0.25},
                       .to = to,
                       .layout = layout,
                       .crop = flip == Flip::Both ? std::optional(window) : std::nullopt,
                       .flip = flip});
  }
  return ops;
}

}  // namespace normbench
