/// Shapes, strides, and views of tensors. A view does not own its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/enums.h"

namespace normbench {

/// The extents of a tensor: batch, channels, rows, columns. Tensors of all layouts use this order.
struct Shape {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  bool operator==(const Shape&) const = default;
  std::int64_t elements() const { return n * c * h * w; }
};

/// The distance in elements to the next neighbour along each axis; negative on a flipped axis.
struct Strides {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  bool operator==(const Strides&) const = default;
};

/// Returns the strides of a contiguous tensor of this shape and layout.
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

/// Returns the description of a contiguous tensor.
TensorDesc dense(DType dtype, Layout layout, const Shape& shape, Memory memory);

/// Returns a text such as "10x3x720x1280 uint8 nchw pageable".
std::string describe(const TensorDesc& desc);

/// A tensor at an address. It does not own the memory.
struct View {
  std::byte* data = nullptr;
  TensorDesc desc;
};

/// Returns the part of the view with rows [top, top+h) and columns [left, left+w), without a copy.
View crop_view(View view, std::int64_t top, std::int64_t left, std::int64_t h, std::int64_t w);

/// Returns the view mirrored, without a copy: the strides of the mirrored axes change their sign.
View flip_view(View view, Flip flip);

/// A contiguous tensor of doubles in NCHW order. Reference computations use it.
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
