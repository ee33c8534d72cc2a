/// The bodies of kernels that make RGB from YCbCr images.
#pragma once

#include <cstdint>

#include "backend/cuda/divisor.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/patterns.cuh"
#include "backend/cuda/values.cuh"
#include "ops/ycbcr.h"

namespace normbench::cuda {

/// How the chroma of pixels follows from samples along one axis. A sample belongs to 2^`shift`
/// pixels. With `triangle`, a pixel has 3/4 of its own sample and 1/4 of the neighbour on its side.
/// Otherwise it has its own sample.
struct ChromaAxis {
  std::int32_t shift = 0, samples = 1;
  bool triangle = false;

  /// Returns the index of the sample of pixel `i`.
  __host__ __device__ std::int32_t near(std::int32_t i) const { return i >> shift; }
  /// Returns the index of the neighbouring sample on the side of pixel `i`. At the border, and
  /// without `triangle`, returns the index of the pixel's own sample.
  __host__ __device__ std::int32_t far(std::int32_t i) const {
    const std::int32_t own = near(i);
    if (!triangle) return own;
    const std::int32_t other = i % 2 == 0 ? own - 1 : own + 1;
    return other < 0 || other >= samples ? own : other;
  }
  /// Returns the weight of the sample itself. The neighbour's weight is 1 with `triangle`, else 0.
  __host__ __device__ std::int32_t weight() const { return triangle ? 3 : 1; }
};

/// A pixel: Y, and its chroma multiplied by `parts`, which is 2^parts_shift().
struct YcbcrPixel {
  std::int32_t y, cb, cr;
  bool is_second_column, is_second_row;  // of two pixels that share a sample
};

/// The rows of an image that a row of pixels is computed from.
struct YcbcrLines {
  const std::uint8_t *y, *cb, *cr;  // cb and cr: the rows of samples that the pixels belong to
  std::int64_t far;                 // distance from cb and cr to the neighbouring rows
  std::int32_t row;
};

/// Images whose pixels are read from planes. A pixel of the output is at row `top` + y * `down` and
/// column `left` + x * `right`.
struct YcbcrSource {
  const std::uint8_t* in;
  std::int64_t image;          // elements from an image to the next
  std::int64_t width, pixels;  // of an image
  ChromaAxis rows, columns;
  std::int32_t top, left, down, right;

  __host__ __device__ YcbcrLines lines(std::int64_t number, std::int64_t y) const {
    const std::int32_t row = top + static_cast<std::int32_t>(y) * down;
    const std::int64_t samples = columns.samples;
    const std::uint8_t* const start = in + number * image;
    const std::uint8_t* const cb = start + pixels + rows.near(row) * samples;
    return {start + row * width, cb, cb + rows.samples * samples,
            (rows.far(row) - rows.near(row)) * samples, row};
  }

  __host__ __device__ YcbcrPixel pixel(const YcbcrLines& lines, std::int64_t x) const {
    const std::int32_t column = left + static_cast<std::int32_t>(x) * right;
    const std::int32_t near = columns.near(column), far = columns.far(column);
    const auto chroma = [&](const std::uint8_t* samples) {
      const auto at = [&](std::int32_t i) {
        const std::int32_t own = rows.weight() * samples[i];
        return rows.triangle ? own + samples[i + lines.far] : own;
      };
      const std::int32_t own = columns.weight() * at(near);
      return columns.triangle ? own + at(far) : own;
    };
    return {lines.y[column], chroma(lines.cb), chroma(lines.cr), column % 2 != 0,
            lines.row % 2 != 0};
  }
};

/// The red, green and blue of a pixel as normalised floats.
struct NormalizedRgb {
  float scale;  // 1 / parts
  const float *sent_a, *sent_b;
  float a[3], b[3];

  __host__ __device__ float constant(const float* sent, const float* own, int channel) const {
    return sent != nullptr ? sent[channel] : own[channel];
  }
  template <class Out, class Use>
  __host__ __device__ void each(const YcbcrPixel& pixel, Use use) const {
    const auto y = static_cast<float>(pixel.y);
    const float cb = fmaf(static_cast<float>(pixel.cb), scale, -128),
                cr = fmaf(static_cast<float>(pixel.cr), scale, -128);
    const auto put = [&](int channel, float value) {
      use(channel, to_value<Out>(fmaf(fminf(fmaxf(value, 0.0f), 255.0f),
                                      constant(sent_a, a, channel), constant(sent_b, b, channel))));
    };
    put(0, fmaf(cr, static_cast<float>(red_cr), y));
    put(1, fmaf(cr, static_cast<float>(-green_cr), fmaf(cb, static_cast<float>(-green_cb), y)));
    put(2, fmaf(cb, static_cast<float>(blue_cb), y));
  }
};

/// The red, green and blue of a pixel as bytes, computed as by libjpeg: chroma is rounded, and ties
/// alternate between up and down.
struct JpegRgb {
  std::int32_t shift;  // log2(parts)
  bool by_rows;        // ties alternate from row to row, otherwise from column to column

  template <class Out, class Use>
  __host__ __device__ void each(const YcbcrPixel& pixel, Use use) const {
    const std::int32_t cb = rounded(pixel, pixel.cb), cr = rounded(pixel, pixel.cr);
    const auto put = [&](int channel, std::int32_t value) {
      use(channel, static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value));
    };
    put(0, pixel.y + ((cr * jpeg_red_cr + 32768) >> 16));
    put(1, pixel.y + ((32768 - cb * jpeg_green_cb - cr * jpeg_green_cr) >> 16));
    put(2, pixel.y + ((cb * jpeg_blue_cb + 32768) >> 16));
  }

 private:
  /// Returns the chroma minus 128. A `shift` of 4 means that both axes have a triangle.
  __host__ __device__ std::int32_t rounded(const YcbcrPixel& pixel, std::int32_t sum) const {
    if (shift == 0) return sum - 128;
    const bool second = by_rows ? pixel.is_second_row : pixel.is_second_column;
    if (shift == 4) return ((sum + (second ? 7 : 8)) >> 4) - 128;
    return ((sum + (second ? 2 : 1)) >> 2) - 128;
  }
};

/// Computes a few pixels of a row per thread, and stores them in three planes or interleaved.
template <class Out, bool Planes, bool Streaming, class Function>
struct YcbcrBody {
  static constexpr int count = sizeof(Out) == 4 ? 4 : 8;  // pixels of a thread
  static constexpr unsigned registers = 128;

  std::int64_t threads;
  Divisor slots, height;  // threads of a row; rows of an image
  std::int64_t width;     // of the output
  YcbcrSource source;
  Function function;
  Out* out;
  std::int64_t image, plane;  // elements from an image, and from a plane, to the next

  __host__ __device__ void operator()(std::int64_t thread) const {
    const Quotient slot = slots.split(thread), row = height.split(slot.quotient);
    const std::int64_t first = slot.remainder * count;
    const YcbcrLines lines = source.lines(row.quotient, row.remainder);
    const std::int64_t pixel = row.remainder * width + first;
    Out* const to = out + row.quotient * image + (Planes ? pixel : 3 * pixel);
    if (first + count <= width) return whole(lines, first, to);
    for (std::int64_t x = first; x < width; ++x)
      function.template each<Out>(source.pixel(lines, x), [&](int c, Out value) {
        to[Planes ? x - first + c * plane : 3 * (x - first) + c] = value;
      });
  }

 private:
  __host__ __device__ void whole(const YcbcrLines& lines, std::int64_t first, Out* to) const {
    if constexpr (Planes) {
      Pack<Out, count> packs[3];
      unrolled<count>([&](int k) {
        function.template each<Out>(source.pixel(lines, first + k),
                                    [&](int c, Out value) { packs[c].set(k, value); });
      });
      unrolled<3>([&](int c) { store(to + c * plane, packs[c]); });
    } else {
      Pack<Out, 3 * count> pack;
      unrolled<count>([&](int k) {
        function.template each<Out>(source.pixel(lines, first + k),
                                    [&](int c, Out value) { pack.set(3 * k + c, value); });
      });
      store(to, pack);
    }
  }

  template <int Elements>
  static __host__ __device__ void store(Out* to, const Pack<Out, Elements>& pack) {
    using Stored = Pack<Out, Elements>;
    constexpr int wide = Stored::widest;
    if (is_aligned(to, wide * 4))
      unrolled<Stored::words / wide>([&](int i) {
        store_words<wide, Streaming>(reinterpret_cast<std::uint32_t*>(to) + i * wide,
                                     pack.word + i * wide);
      });
    else
      unrolled<Elements>([&](int i) { to[i] = pack.get(i); });
  }
};

/// Returns the images of a task as a source.
inline YcbcrSource source_of(const YcbcrTask& task) {
  const Shape &shape = task.in.desc.shape, samples = shape.plane(1), &to = task.out.desc.shape;
  const bool is_mirrored = task.flip == Flip::Horizontal || task.flip == Flip::Both,
             is_upside_down = task.flip == Flip::Vertical || task.flip == Flip::Both;
  const auto shift = [](int step) { return step == 4 ? 2 : step - 1; };
  const PixelFormatRow& format = row_of(shape.format);
  return {
      .in = reinterpret_cast<const std::uint8_t*>(task.in.data),
      .image = task.in.desc.strides.n,
      .width = shape.w,
      .pixels = shape.h * shape.w,
      .rows = {shift(format.down), static_cast<std::int32_t>(samples.h), task.triangle_down},
      .columns = {shift(format.across), static_cast<std::int32_t>(samples.w), task.triangle_across},
      .top = static_cast<std::int32_t>(task.top + (is_upside_down ? to.h - 1 : 0)),
      .left = static_cast<std::int32_t>(task.left + (is_mirrored ? to.w - 1 : 0)),
      .down = is_upside_down ? -1 : 1,
      .right = is_mirrored ? -1 : 1};
}

/// Calls `use(body)` with the body for the task. Returns the result of `use`.
template <class Out, class Function, class Use>
auto with_ycbcr_body(const YcbcrTask& task, const Function& function, Use use) {
  const auto with = [&]<bool Planes, bool Streaming>(std::bool_constant<Planes>,
                                                     std::bool_constant<Streaming>) {
    using Body = YcbcrBody<Out, Planes, Streaming, Function>;
    const Shape& to = task.out.desc.shape;
    const std::int64_t slots = (to.w + Body::count - 1) / Body::count;
    return use(Body{.threads = to.n * to.h * slots,
                    .slots = Divisor::of(slots),
                    .height = Divisor::of(to.h),
                    .width = to.w,
                    .source = source_of(task),
                    .function = function,
                    .out = reinterpret_cast<Out*>(task.out.data),
                    .image = task.out.desc.strides.n,
                    .plane = task.out.desc.strides.c});
  };
  return with_bool(task.out.desc.layout == Layout::Nchw, [&](auto planes) {
    return with_bool(task.streaming, [&](auto streaming) { return with(planes, streaming); });
  });
}

/// Returns log2 of `parts`, the factor by which sums of chroma are too large (see YcbcrPixel).
inline std::int32_t parts_shift(const YcbcrTask& task) {
  return (task.triangle_across ? 2 : 0) + (task.triangle_down ? 2 : 0);
}

}  // namespace normbench::cuda
