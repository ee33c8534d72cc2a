/// Shapes, strides, and views of tensors. A view does not own its memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/enums.h"

namespace normbench {

/// The extents of a tensor: batch, channels, rows, columns. Tensors of all layouts use this order.
/// In a YCbCr format there are 3 channels, and `h` x `w` is the number of pixels. Cb and Cr may
/// have fewer samples.
struct Shape {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  PixelFormat format = PixelFormat::Rgb;

  constexpr bool operator==(const Shape&) const = default;
  constexpr bool is_ycbcr() const { return format != PixelFormat::Rgb; }
  /// Returns the extents without the format.
  constexpr std::array<std::int64_t, 4> extents() const { return {n, c, h, w}; }
  /// Returns the shape of one channel of all images. A sample of Cb or Cr that lies only partly in
  /// the image counts as whole.
  constexpr Shape plane(std::int64_t channel) const {
    if (channel == 0 || !is_ycbcr()) return {n, 1, h, w};
    const std::int64_t across = row_of(format).across, down = row_of(format).down;
    return {n, 1, (h + down - 1) / down, (w + across - 1) / across};
  }
  constexpr std::int64_t image_elements() const {
    if (!is_ycbcr()) return c * h * w;
    const Shape chroma = plane(1);
    return h * w + 2 * chroma.h * chroma.w;
  }
  constexpr std::int64_t elements() const { return n * image_elements(); }
};

/// The distance in elements to the next neighbour along each axis; negative on a flipped axis. In a
/// YCbCr format `h` and `w` are those of Y, and `c` is the distance from Y to Cb.
struct Strides {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  bool operator==(const Strides&) const = default;
};

/// Returns the strides of a contiguous tensor of this shape and layout. The layout of a YCbCr
/// format is nchw.
Strides dense_strides(const Shape& shape, Layout layout);

/// The description of a tensor: everything except its address.
struct TensorDesc {
  DType dtype = DType::UInt8;
  Layout layout = Layout::Nchw;
  Shape shape;
  Strides strides;
  Memory memory = Memory::Pageable;
  bool operator==(const TensorDesc&) const = default;
  std::int64_t elements() const { return shape.elements(); }
  /// Returns the number of elements times the element size. Gaps of a strided tensor are not
  /// counted.
  std::int64_t bytes() const { return elements() * size_of(dtype); }
  bool is_dense() const { return strides == dense_strides(shape, layout); }
};

/// Returns true if each image of the tensor is contiguous. There may be gaps between the images.
bool has_dense_images(const TensorDesc& desc);

/// Returns the description of a contiguous tensor.
TensorDesc dense(DType dtype, Layout layout, const Shape& shape, Memory memory);

/// Returns a text such as "10x3x720x1280 uint8 nchw pageable". For a YCbCr format, the text has the
/// name of the format in place of the layout.
std::string describe(const TensorDesc& desc);
/// Returns how the pixels of the tensor are arranged: "nchw", "nhwc" or the name of its YCbCr
/// format.
std::string_view arrangement_of(const TensorDesc& desc);

/// A tensor at an address. It does not own the memory.
struct View {
  std::byte* data = nullptr;
  TensorDesc desc;
};

/// Returns images [first, first + count) of a view, without a copy.
View images_of(View view, std::int64_t first, std::int64_t count);

/// Returns one channel of a view, without a copy. In a view of Cb or Cr, rows and columns count
/// samples, not pixels.
View plane_view(const View& view, std::int64_t channel);

/// Returns the part of the view with rows [top, top+h) and columns [left, left+w), without a copy.
/// The view must not have a YCbCr format.
View crop_view(View view, std::int64_t top, std::int64_t left, std::int64_t h, std::int64_t w);

/// Returns the view mirrored, without a copy: the strides of the mirrored axes change their sign.
/// The view must not have a YCbCr format.
View flip_view(View view, Flip flip);

/// The place of an element in a tensor.
struct ElementPlace {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
};
/// Returns the place of element `index` of the tensor. Elements are counted in the order n, c, h,
/// w.
ElementPlace place_of(const Shape& shape, std::int64_t index);

/// A contiguous tensor of doubles in NCHW order; in a YCbCr format Y, Cb and Cr of an image follow
/// each other. Reference computations use it.
struct Tensor64 {
  Shape shape;
  std::vector<double> values;
};

/// Returns the images [first, first+count) of a view as doubles.
Tensor64 to_double(const View& view, std::int64_t first, std::int64_t count);

/// Writes the tensor to the images of a view, from image `first` on. Values are rounded to the
/// nearest value of the dtype, ties to even. uint8 saturates.
void from_double(const Tensor64& tensor, const View& view, std::int64_t first);

}  // namespace normbench
