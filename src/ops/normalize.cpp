#include "ops/normalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ops/flip.h"
#include "ops/ycbcr.h"

namespace normbench {
namespace {

/// Estimates a value of one channel. Kernels may compute the value in either of the two orders
/// below. The error of the estimate is that of the order with the larger error.
struct Normalized {
  Normalized(const Normalize& op, std::int64_t c, DType to)
      : Normalized(op.scale, at_channel(op.mean, c), at_channel(op.std, c), to,
                   roundoff_here(op.rounds, Narrow::Constants, to)) {
    input = roundoff_here(op.rounds, Narrow::Input, to);
    difference = roundoff_of(op.rounds, Narrow::Difference, to);
  }

  Estimate operator()(const Estimate& x) const {
    // Order 1: ((x * scale) - mean) / std. Every step is rounded to float32. If a peer (another
    // library) computes the value, the values that `rounds` names are also rounded to the output's
    // dtype.
    const Estimate scaled = rounded(is_scaled ? stored(times(x, scale), float32) : x, input);
    const Estimate centred = rounded(stored(minus(scaled, mean), float32), difference);
    Estimate as_written = stored(over(centred, std), float32);
    // Order 2: x * a + b with a = scale / std and b = -mean / std, both computed in double and
    // rounded to float32. Without a fused multiply-add the product is rounded, too.
    const Estimate one_step = stored(minus(stored(times(x, factor), float32), term), float32);
    as_written.error = std::max(as_written.error, one_step.error);
    return is_narrow ? stored(as_written, narrow) : as_written;
  }

 private:
  /// Returns the relative error of a rounding to dtype `to`, if `rounds` says that a library rounds
  /// the value `held`; else 0. Unlike roundoff_of(), also returns an error for float32: a library
  /// may divide whole numbers by 255 first, and the quotients are rounded to float32.
  static double roundoff_here(const Rounds& rounds, Narrow held, DType to) {
    const bool is_named = std::ranges::find(rounds, held) != rounds.end();
    return is_named ? unit_roundoff(to) : 0;
  }
  /// Adds a rounding error. Unlike stored(), also adds it to whole numbers, because a library may
  /// have divided them by 255.
  static Estimate rounded(Estimate a, double roundoff) {
    a.error += roundoff * (std::abs(a.value) + a.error);
    return a;
  }

  Normalized(double scale, double mean, double std, DType to, double roundoff)
      : scale(scale),
        mean(mean, roundoff),
        std(std, roundoff),
        factor(scale / std),
        term(mean / std),
        is_scaled(scale != 1),
        is_narrow(to != DType::Float32),
        narrow(rounding_of(to)) {}

  Constant scale, mean;
  Divisor std;
  Constant factor, term;
  bool is_scaled, is_narrow;
  double input = 0, difference = 0;  // relative errors of x * scale and x - mean
  Rounding narrow, float32 = rounding_of(DType::Float32);
};

/// Returns the windows of the images, mirrored by `flip`, in the order of the op's output.
Tensor64 placed(const Normalize& op, const Tensor64& images) {
  if (op.crop.empty()) return mirrored(images, op.flip);
  Tensor64 cut = op.crop[0].cut(images);
  for (std::size_t i = 1; i < op.crop.size(); ++i) {
    const Tensor64 more = op.crop[i].cut(images);
    cut.shape.n += more.shape.n;
    cut.values.insert(cut.values.end(), more.values.begin(), more.values.end());
  }
  return mirrored(std::move(cut), op.flip);
}

constexpr std::size_t most_windows = 64;

/// Reads a window from an object with no members but "size" and "at". Returns nothing if "size" is
/// missing or wrong. If `is_object` is false, the reader has reported the wrong type already, and a
/// missing "size" is not reported.
std::optional<Window> read_window(Reader& reader, bool is_object) {
  if (is_object) reader.require("size", "[height, width]");
  const auto window = Window::read(reader);
  reader.finish();
  return window;
}

std::vector<Window> read_windows(Reader& reader, const Json& list) {
  if (list.empty() || list.size() > most_windows)
    reader.complain_at("crop",
                       fmt::format("needs 1 to {} windows, got {}", most_windows, list.size()));
  std::vector<Window> windows;
  for (std::size_t i = 0; i < list.size() && i < most_windows; ++i) {
    Reader one = reader.element("crop", i);
    const std::string at = fmt::format("{}/{}", reader.pointer_to("crop"), i);
    const auto window = read_window(one, list[i].is_object());
    if (!window) continue;
    windows.push_back(*window);
    const Window& first = windows[0];
    if (window->height != first.height || window->width != first.width)
      reader.issues().push_back(
          {at + "/size", fmt::format("{}x{} is not the first window's size, {}x{}", window->height,
                                     window->width, first.height, first.width)});
  }
  return windows;
}

std::vector<Window> read_crop(Reader& reader) {
  if (!reader.has("crop")) return {};
  const Json& said = reader.member("crop");
  if (said.is_array()) return read_windows(reader, said);
  if (reader.describes()) {
    Reader one = reader.element("crop", 0);
    read_window(one, true);
  }
  Reader crop = reader.object("crop");
  if (const auto window = read_window(crop, said.is_object() || reader.describes()))
    return {*window};
  return {};
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
  shape.format = PixelFormat::Rgb;
  for (const Window& window : crop) window.origin(x.shape.h, x.shape.w);
  if (!crop.empty()) {
    shape.n *= static_cast<std::int64_t>(crop.size());
    shape.h = crop[0].height;
    shape.w = crop[0].width;
  }
  return one_output(to, layout.value_or(x.layout), shape, x.memory);
}

void Normalize::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                          std::int64_t) const {
  const bool moves = !crop.empty() || flip != Flip::None;
  Tensor64 images = in[0].shape.is_ycbcr() ? rgb_of(in[0]) : in[0];
  if (moves) images = placed(*this, images);
  out[0] = map_channels(std::move(images), [&](double value, std::int64_t c) {
    return (value * scale - at_channel(mean, c)) / at_channel(std, c);
  });
}

Cost Normalize::fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const {
  const Shape& from = in[0].shape;
  const std::int64_t pixels = crop.empty() ? from.h * from.w : covered_pixels(crop, from.h, from.w);
  const std::int64_t written = out[0].elements();
  if (from.is_ycbcr()) {
    const double share = static_cast<double>(pixels) / static_cast<double>(from.h * from.w);
    constexpr std::int64_t of_conversion = 8;  // operations per pixel
    return {.read_bytes = std::llround(share * static_cast<double>(from.elements())),
            .written_bytes = total_bytes(out),
            .flops = 2 * written + of_conversion * written / from.c};
  }
  return {.read_bytes = from.n * from.c * pixels * size_of(in[0].dtype),
          .written_bytes = total_bytes(out),
          .flops = 2 * written};
}

std::vector<Accuracy> Normalize::accuracy(std::span<const Known> in, std::span<const Tensor64>,
                                          std::span<const TensorDesc> out) const {
  const auto of_channel = [&](std::int64_t c) { return Normalized(*this, c, out[0].dtype); };
  const Shape& shape = in[0].values.shape;
  const bool is_ycbcr = shape.is_ycbcr();
  const Tensor64 rgb = is_ycbcr ? rgb_of(in[0].values) : Tensor64{};
  Accuracy found =
      is_ycbcr
          ? pointwise(
                {rgb,
                 {.low = 0, .high = 255, .errors = errors_of_rgb(shape, in[0].accuracy.errors)}},
                of_channel)
          : pointwise(in[0], of_channel);
  if (!crop.empty() || flip != Flip::None)
    found.errors = found.errors.moved(is_ycbcr ? rgb.shape : shape, [&](const Tensor64& errors) {
      return placed(*this, errors);
    });
  return {found};
}

std::pair<double, double> Normalize::multiply_add(std::int64_t channel) const {
  const double divisor = at_channel(std, channel);
  return {scale / divisor, -at_channel(mean, channel) / divisor};
}

std::vector<Normalize> Normalize::samples(const Shape& shape) {
  const auto mean = channel_samples(shape.c, 123.675, -7.3);
  const auto std = channel_samples(shape.c, 58.395, 1.7);
  const Window window = Window::inner(shape);
  const auto at = [&](std::int64_t top, std::int64_t left) {
    return Window{.height = window.height, .width = window.width, .top = top, .left = left};
  };
  const std::int64_t last_row = shape.h - window.height, last_column = shape.w - window.width;
  const std::vector<Window> two{at(0, 0), at(last_row, last_column)};
  const std::vector<Window> three{at(0, last_column), window, at(0, 0)};
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
    ops.push_back({.mean = mean, .std = std, .to = to, .crop = {window}});
    ops.push_back({.mean = mean, .std = std, .to = to, .layout = Layout::Nchw, .crop = two});
    ops.push_back({.mean = mean, .std = std, .to = to, .crop = three, .flip = Flip::Horizontal});
    ops.push_back({.mean = mean, .std = std, .to = to, .flip = Flip::Vertical});
    for (const Layout layout : {Layout::Nchw, Layout::Nhwc})
      for (const Flip flip : {Flip::Horizontal, Flip::Both})
        ops.push_back({.mean = flip == Flip::Both ? std::vector{0.5} : mean,
                       .std = {0.25},
                       .to = to,
                       .layout = layout,
                       .crop = flip == Flip::Both ? std::vector{window} : std::vector<Window>{},
                       .flip = flip});
  }
  return ops;
}

}  // namespace normbench
