#include "core/tensor.h"

#include <fmt/format.h>

#include <cstring>

#include "core/dtype.h"

namespace normbench {
namespace {

/// Calls use(address, step, width) for each row of the images [first, first+count), in NCHW order.
/// `address` is the address of the first element of the row, `step` the distance in bytes from an
/// element to the next, and `width` the number of elements.
template <class Use>
void each_row(const View& view, std::int64_t first, std::int64_t count, Use use) {
  const std::int64_t size = size_of(view.desc.dtype);
  for (std::int64_t n = first; n < first + count; ++n)
    for (std::int64_t c = 0; c < view.desc.shape.c; ++c) {
      const View plane = plane_view(view, c);
      const Strides& strides = plane.desc.strides;
      for (std::int64_t h = 0; h < plane.desc.shape.h; ++h)
        use(plane.data + (n * strides.n + h * strides.h) * size, strides.w * size,
            plane.desc.shape.w);
    }
}

}  // namespace

Strides dense_strides(const Shape& shape, Layout layout) {
  const auto [n, c, h, w] = shape.extents();
  if (layout == Layout::Nhwc) return {.n = h * w * c, .c = 1, .h = w * c, .w = c};
  return {.n = shape.image_elements(), .c = h * w, .h = w, .w = 1};
}

TensorDesc dense(DType dtype, Layout layout, const Shape& shape, Memory memory) {
  return {.dtype = dtype,
          .layout = layout,
          .shape = shape,
          .strides = dense_strides(shape, layout),
          .memory = memory};
}

bool has_dense_images(const TensorDesc& desc) {
  Strides strides = desc.strides;
  strides.n = dense_strides(desc.shape, desc.layout).n;
  return strides == dense_strides(desc.shape, desc.layout);
}

std::string describe(const TensorDesc& desc) {
  const auto [n, c, h, w] = desc.shape.extents();
  return fmt::format("{}x{}x{}x{} {} {} {}{}", n, c, h, w, name_of(desc.dtype),
                     arrangement_of(desc), name_of(desc.memory), desc.is_dense() ? "" : " strided");
}

std::string_view arrangement_of(const TensorDesc& desc) {
  return desc.shape.is_ycbcr() ? name_of(desc.shape.format) : name_of(desc.layout);
}

View images_of(View view, std::int64_t first, std::int64_t count) {
  view.data += first * view.desc.strides.n * size_of(view.desc.dtype);
  view.desc.shape.n = count;
  return view;
}

View plane_view(const View& view, std::int64_t channel) {
  const Shape& shape = view.desc.shape;
  const Shape plane = shape.plane(channel);
  View one = view;
  one.desc.shape = plane;
  if (channel == 0) return one;
  if (!shape.is_ycbcr()) {
    one.data += channel * view.desc.strides.c * size_of(view.desc.dtype);
    return one;
  }
  const std::int64_t before = shape.h * shape.w + (channel - 1) * plane.h * plane.w;
  one.data += before * size_of(view.desc.dtype);
  one.desc.strides.c = plane.h * plane.w;
  one.desc.strides.h = plane.w;
  return one;
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

ElementPlace place_of(const Shape& shape, std::int64_t index) {
  ElementPlace place{.n = index / shape.image_elements()};
  index %= shape.image_elements();
  Shape plane = shape.plane(0);
  if (!shape.is_ycbcr()) {
    place.c = index / (plane.h * plane.w);
    index %= plane.h * plane.w;
  }
  while (index >= plane.h * plane.w) {
    index -= plane.h * plane.w;
    plane = shape.plane(++place.c);
  }
  place.h = index / plane.w;
  place.w = index % plane.w;
  return place;
}

Tensor64 to_double(const View& view, std::int64_t first, std::int64_t count) {
  Tensor64 tensor{.shape = view.desc.shape, .values = {}};
  tensor.shape.n = count;
  tensor.values.resize(static_cast<std::size_t>(tensor.shape.elements()));
  double* out = tensor.values.data();
  with_dtype(view.desc.dtype, [&](auto element) {
    each_row(view, first, count, [&](const std::byte* in, std::int64_t step, std::int64_t width) {
      const auto read = [&](std::int64_t bytes_apart) {
        for (std::int64_t w = 0; w < width; ++w) {
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
    each_row(view, first, tensor.shape.n,
             [&](std::byte* out, std::int64_t step, std::int64_t width) {
               for (std::int64_t w = 0; w < width; ++w) {
                 element = rounded<decltype(element)>(*in++);
                 std::memcpy(out + w * step, &element, sizeof element);
               }
             });
  });
}

}  // namespace normbench
