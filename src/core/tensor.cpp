#include "core/tensor.h"

#include <fmt/format.h>

#include <cstring>

#include "core/dtype.h"

namespace normbench {
namespace {

/// Calls use(address, step) for each row of the images [first, first+count), in NCHW order.
/// `address` is the address of the first element of the row, `step` the distance in bytes from an
/// element to the next.
template <class Use>
void each_row(const View& view, std::int64_t first, std::int64_t count, Use use) {
  const Shape& shape = view.desc.shape;
  const Strides& strides = view.desc.strides;
  const std::int64_t size = size_of(view.desc.dtype);
  for (std::int64_t n = first; n < first + count; ++n)
    for (std::int64_t c = 0; c < shape.c; ++c)
      for (std::int64_t h = 0; h < shape.h; ++h)
        use(view.data + (n * strides.n + c * strides.c + h * strides.h) * size, strides.w * size);
}

}  // namespace

Strides dense_strides(const Shape& shape, Layout layout) {
  const auto [n, c, h, w] = shape;
  if (layout == Layout::Nhwc) return {.n = h * w * c, .c = 1, .h = w * c, .w = c};
  return {.n = c * h * w, .c = h * w, .h = w, .w = 1};
}

TensorDesc dense(DType dtype, Layout layout, const Shape& shape, Memory memory) {
  return {.dtype = dtype,
          .layout = layout,
          .shape = shape,
          .strides = dense_strides(shape, layout),
          .memory = memory};
}

std::string describe(const TensorDesc& desc) {
  const auto [n, c, h, w] = desc.shape;
  return fmt::format("{}x{}x{}x{} {} {} {}{}", n, c, h, w, name_of(desc.dtype),
                     name_of(desc.layout), name_of(desc.memory), desc.is_dense() ? "" : " strided");
}

View crop_view(View view, std::int64_t top, std::int64_t left, std::int64_t h, std::int64_t w) {
  const Strides& strides = view.desc.strides;
  view.data += (top * strides.h + left * strides.w) * size_of(view.desc.dtype);
  view.desc.shape.h = h;
  view.desc.shape.w = w;
  return view;
}

View flip_view(View view, Flip flip) {
  const std::int64_t size = size_of(view.desc.dtype);
  const Shape& shape = view.desc.shape;
  Strides& strides = view.desc.strides;
  if (flip == Flip::Horizontal || flip == Flip::Both) {
    view.data += (shape.w - 1) * strides.w * size;
    strides.w = -strides.w;
  }
  if (flip == Flip::Vertical || flip == Flip::Both) {
    view.data += (shape.h - 1) * strides.h * size;
    strides.h = -strides.h;
  }
  return view;
}

Tensor64 to_double(const View& view, std::int64_t first, std::int64_t count) {
  Tensor64 tensor{.shape = view.desc.shape, .values = {}};
  tensor.shape.n = count;
  tensor.values.resize(static_cast<std::size_t>(tensor.shape.elements()));
  double* out = tensor.values.data();
  with_dtype(view.desc.dtype, [&](auto element) {
    each_row(view, first, count, [&](const std::byte* in, std::int64_t step) {
      const auto read = [&](std::int64_t bytes_apart) {
        for (std::int64_t w = 0; w < view.desc.shape.w; ++w) {
          std::memcpy(&element, in + w * bytes_apart, sizeof element);  // views may be unaligned
          *out++ = to_double(element);
        }
      };
      step == sizeof element ? read(sizeof element) : read(step);  // a compile-time step is faster
    });
  });
  return tensor;
}

void from_double(const Tensor64& tensor, const View& view, std::int64_t first) {
  const double* in = tensor.values.data();
  with_dtype(view.desc.dtype, [&](auto element) {
    each_row(view, first, tensor.shape.n, [&](std::byte* out, std::int64_t step) {
      for (std::int64_t w = 0; w < view.desc.shape.w; ++w) {
        element = rounded<decltype(element)>(*in++);
        std::memcpy(out + w * step, &element, sizeof element);
      }
    });
  });
}

}  // namespace normbench
