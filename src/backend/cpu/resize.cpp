#include "backend/cpu/resize.h"

#include <algorithm>
#include <memory>

#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"
#include "core/half.h"
#include "ops/triangle.h"

namespace normbench {
namespace {

/// Taps with float32 weights, one after the other.
struct Filter {
  struct Pixel {
    std::int64_t first, begin, end;  // weights [begin, end) from input pixel `first` on
  };
  std::vector<Pixel> pixels;
  std::vector<float> weights;
};

Filter make_filter(std::int64_t from, std::int64_t to) {
  Filter filter;
  for (const Taps& taps : triangle_filter(from, to)) {
    const auto begin = static_cast<std::int64_t>(filter.weights.size());
    filter.weights.insert(filter.weights.end(), taps.weights.begin(), taps.weights.end());
    filter.pixels.push_back({taps.first, begin, static_cast<std::int64_t>(filter.weights.size())});
  }
  return filter;
}

float to_float(std::uint8_t v) { return v; }
float to_float(float v) { return v; }
float to_float(Float16 v) { return static_cast<float>(to_double(v)); }
float to_float(BFloat16 v) { return static_cast<float>(to_double(v)); }
void from_float(float v, float& out) { out = v; }
void from_float(float v, Float16& out) { out = to_float16(v); }
void from_float(float v, BFloat16& out) { out = to_bfloat16(v); }
void from_float(float v, std::uint8_t& out) {  // weights are not negative: v is in [0, 255.0x]
  out = static_cast<std::uint8_t>(std::min(v + 0.5f, 255.0f));
}

/// Contiguous rows of `width` pixels of `group` channels each: planes, or interleaved images.
struct Rows {
  std::int64_t planes, group, height, width;
};

Rows rows_of(const TensorDesc& desc) {
  const Shape& s = desc.shape;
  const bool planar = desc.layout == Layout::Nchw;
  return {
      .planes = planar ? s.n * s.c : s.n, .group = planar ? 1 : s.c, .height = s.h, .width = s.w};
}

/// Rows `first` … of a plane, weighted and added into `sum`.
template <class T>
void blend_rows(const T* plane, std::int64_t row_elements, const Filter& filter,
                const Filter::Pixel& row, std::vector<float>& sum) {
  std::fill(sum.begin(), sum.end(), 0.0f);
  for (std::int64_t k = row.begin; k < row.end; ++k) {
    const float weight = filter.weights[static_cast<std::size_t>(k)];
    const T* in = plane + (row.first + k - row.begin) * row_elements;
    float* out = sum.data();
#pragma omp simd
    for (std::int64_t i = 0; i < row_elements; ++i) out[i] += weight * to_float(in[i]);
  }
}

template <class T>
void blend_columns(const std::vector<float>& row, std::int64_t group, const Filter& filter,
                   T* out) {
  for (const auto& pixel : filter.pixels)
    for (std::int64_t c = 0; c < group; ++c) {
      float sum = 0;
      const float* in = row.data() + pixel.first * group + c;
      for (std::int64_t k = pixel.begin; k < pixel.end; ++k, in += group)
        sum += filter.weights[static_cast<std::size_t>(k)] * *in;
      from_float(sum, *out++);
    }
}

template <class T>
void resize(const View& in, const View& out, const Filter& vertical, const Filter& horizontal,
            const Queue& queue) {
  const Rows from = rows_of(in.desc), to = rows_of(out.desc);
  const std::int64_t in_row = from.width * from.group, out_row = to.width * to.group;
  split(queue, to.planes * to.height, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> row(static_cast<std::size_t>(in_row));
    for (std::int64_t r = begin; r < end; ++r) {
      const T* plane = reinterpret_cast<const T*>(in.data) + r / to.height * from.height * in_row;
      const auto y = static_cast<std::size_t>(r % to.height);
      blend_rows(plane, in_row, vertical, vertical.pixels[y], row);
      blend_columns(row, to.group, horizontal, reinterpret_cast<T*>(out.data) + r * out_row);
    }
  });
}

bool accepts(const Resize&, const Signature& s) {
  return s.in[0].is_dense() && s.out[0].is_dense();
}

template <class T>
Launch launch(const Signature& s) {
  const auto vertical = std::make_shared<Filter>(make_filter(s.in[0].shape.h, s.out[0].shape.h));
  const auto horizontal = std::make_shared<Filter>(make_filter(s.in[0].shape.w, s.out[0].shape.w));
  return [=](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    resize<T>(in[0], out[0], *vertical, *horizontal, queue);
  };
}

}  // namespace

Launch prepare_separable(const Resize&, const Signature& s) {
  switch (s.in[0].dtype) {
    case DType::UInt8:
      return launch<std::uint8_t>(s);
    case DType::Float16:
      return launch<Float16>(s);
    case DType::BFloat16:
      return launch<BFloat16>(s);
    case DType::Float32:
      break;
  }
  return launch<float>(s);
}

std::span<const Kernel> resize_rows() {
  static const Kernel rows[] = {reference_row(Resize::name),
                                row<Resize, accepts, prepare_separable>("separable")};
  return rows;
}

}  // namespace normbench
