#include "ops/ycbcr.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace normbench {
namespace {

/// Returns YCbCr images as tensors of three channels of full resolution. `chroma(plane, row,
/// column)` computes the Cb or Cr of a pixel from a plane of samples. `convert(y, cb, cr)` returns
/// the three values of a pixel.
template <class Chroma, class Convert>
Tensor64 converted(const Tensor64& images, Chroma chroma, Convert convert) {
  const Shape &shape = images.shape, samples = shape.plane(1);
  const std::int64_t pixels = shape.h * shape.w, of_plane = samples.h * samples.w;
  Tensor64 out{.shape = {shape.n, 3, shape.h, shape.w}, .values = {}};
  out.values.resize(static_cast<std::size_t>(out.shape.elements()));
  for (std::int64_t n = 0; n < shape.n; ++n) {
    const auto image =
        std::span(images.values).subspan(static_cast<std::size_t>(n * shape.image_elements()));
    const auto cb = image.subspan(static_cast<std::size_t>(pixels)),
               cr = image.subspan(static_cast<std::size_t>(pixels + of_plane));
    for (std::int64_t i = 0; i < pixels; ++i) {
      const std::int64_t row = i / shape.w, column = i % shape.w;
      const std::array<double, 3> values = convert(
          image[static_cast<std::size_t>(i)], chroma(cb, row, column), chroma(cr, row, column));
      for (std::int64_t c = 0; c < 3; ++c)
        out.values[static_cast<std::size_t>((3 * n + c) * pixels + i)] =
            values[static_cast<std::size_t>(c)];
    }
  }
  return out;
}

/// The samples that a pixel's chroma is computed from, with their weights in sixteenths.
class Samples {
 public:
  explicit Samples(const Shape& shape)
      : how_(chroma_upsampling(shape)), samples_(shape.plane(1)), row_(row_of(shape.format)) {}

  ChromaTaps down(std::int64_t y) const { return chroma_taps(y, samples_.h, row_.down, how_.down); }
  ChromaTaps across(std::int64_t x) const {
    return chroma_taps(x, samples_.w, row_.across, how_.across);
  }
  /// Returns 16 times the chroma of a pixel.
  double sum(std::span<const double> plane, std::int64_t y, std::int64_t x) const {
    const ChromaTaps rows = down(y), columns = across(x);
    const auto column = [&](std::int64_t c) {
      return rows.near_quarters * at(plane, rows.near, c) +
             rows.far_quarters() * at(plane, rows.far, c);
    };
    return columns.near_quarters * column(columns.near) +
           columns.far_quarters() * column(columns.far);
  }
  bool is_triangle_across() const { return how_.across == Upsampling::Triangle; }
  bool is_triangle_down() const { return how_.down == Upsampling::Triangle; }

 private:
  double at(std::span<const double> plane, std::int64_t y, std::int64_t x) const {
    return plane[static_cast<std::size_t>(y * samples_.w + x)];
  }

  ChromaUpsampling how_;
  Shape samples_;
  const PixelFormatRow& row_;
};

/// Returns the chroma of a pixel as libjpeg rounds it: to the nearest whole number, and a tie up or
/// down depending on the position of the pixel.
double jpeg_chroma(const Samples& samples, std::span<const double> plane, std::int64_t y,
                   std::int64_t x) {
  const double sixteenths = samples.sum(plane, y, x);
  const bool first = samples.is_triangle_across() ? x % 2 == 0 : y % 2 == 0;
  if (samples.is_triangle_across() && samples.is_triangle_down())
    return std::floor((sixteenths + (first ? 8 : 7)) / 16);
  if (samples.is_triangle_across() || samples.is_triangle_down())
    return std::floor((sixteenths / 4 + (first ? 1 : 2)) / 4);
  return sixteenths / 16;
}

/// Returns a sum of products with libjpeg's weights as a whole number, rounded.
double rounded_products(double sum) { return std::floor((sum + 32768) / 65536); }

double clamped(double value) { return std::clamp(value, 0.0, 255.0); }

}  // namespace

ChromaUpsampling chroma_upsampling(const Shape& shape) {
  const PixelFormatRow& format = row_of(shape.format);
  const bool is_narrow = format.across == 2 && shape.plane(1).w <= 2;
  const auto how = [&](int step) {
    return step == 2 && !is_narrow ? Upsampling::Triangle : Upsampling::Replicate;
  };
  return {.across = how(format.across), .down = how(format.down)};
}

ChromaTaps chroma_taps(std::int64_t i, std::int64_t samples, int step, Upsampling how) {
  const std::int64_t near = i / step;
  if (how == Upsampling::Replicate) return {.near = near, .far = near};
  const std::int64_t far = i % 2 == 0 ? near - 1 : near + 1;
  return {.near = near, .far = std::clamp<std::int64_t>(far, 0, samples - 1), .near_quarters = 3};
}

Tensor64 rgb_of(const Tensor64& images) {
  const Samples samples(images.shape);
  return converted(
      images,
      [&](std::span<const double> chroma, std::int64_t y, std::int64_t x) {
        return samples.sum(chroma, y, x) / 16 - 128;
      },
      [](double y, double cb, double cr) {
        return std::array{clamped(y + red_cr * cr), clamped(y - green_cb * cb - green_cr * cr),
                          clamped(y + blue_cb * cb)};
      });
}

Errors errors_of_rgb(const Shape& shape, const Errors& errors) {
  // A sum of Y and weighted chroma is at most 255 + 1.772 * 255 < 1024, even before 128 is
  // subtracted from the chroma. A value needs at most 6 operations and 3 constants. The rounding of
  // each of them adds at most 2^-24 of 1024 to the error.
  constexpr double computed = 9 * 1024 * 0x1p-24;
  if (errors.are_same_everywhere()) {
    const double most = std::max(1 + red_cr, 1 + std::max(green_cb + green_cr, blue_cb));
    return errors.at(0) * most + computed;
  }
  Tensor64 each{.shape = shape, .values = {}};
  for (std::int64_t i = 0; i < shape.elements(); ++i)
    each.values.push_back(errors.at(static_cast<std::size_t>(i)));
  const Samples samples(shape);
  return converted(
             each,
             [&](std::span<const double> chroma, std::int64_t y, std::int64_t x) {
               return samples.sum(chroma, y, x) / 16;
             },
             [](double y, double cb, double cr) {
               return std::array{y + red_cr * cr + computed,
                                 y + green_cb * cb + green_cr * cr + computed,
                                 y + blue_cb * cb + computed};
             })
      .values;
}

Tensor64 jpeg_rgb_of(const Tensor64& images) {
  const Samples samples(images.shape);
  return converted(
      images,
      [&](std::span<const double> chroma, std::int64_t y, std::int64_t x) {
        return jpeg_chroma(samples, chroma, y, x) - 128;
      },
      [](double y, double cb, double cr) {
        return std::array{clamped(y + rounded_products(jpeg_red_cr * cr)),
                          clamped(y + rounded_products(-jpeg_green_cb * cb - jpeg_green_cr * cr)),
                          clamped(y + rounded_products(jpeg_blue_cb * cb))};
      });
}

}  // namespace normbench
