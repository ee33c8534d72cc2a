/// Shapes, strides and views: what a stage reads and writes, without owning it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/enums.h"

namespace normbench {

/// Logical extent: batch, channels, rows, columns. Independent of the layout.
struct Shape {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  bool operator==(const Shape&) const = default;
  std::int64_t elements() const { return n * c * h * w; }
};

/// Distance in elements between neighbours along each logical axis; negative when flipped.
struct Strides {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  bool operator==(const Strides&) const = default;
};

/// Strides of a contiguous tensor of this shape and layout.
Strides dense_strides(const Shape& shape, Layout layout);

/// A tensor's description: everything but its address.
struct TensorDesc {
  DType dtype = DType::UInt8;
  Layout layout = Layout::Nchw;
  Shape shape;
  Strides strides;
  Memory memory = Memory::Pageable;
  bool operator==(const TensorDesc&) const = default;
  std::int64_t elements() const { return shape.elements(); }
  /// Elements times element size; gaps of a strided tensor are not counted.
  std::int64_t bytes() const { return elements() * size_of(dtype); }
  bool is_dense() const { return strides == dense_strides(shape, layout); }
};

/// A contiguous tensor.
TensorDesc dense(DType dtype, Layout layout, const Shape& shape, Memory memory);

/// "10x3x720x1280 uint8 nchw pageable".
std::string describe(const TensorDesc& desc);

/// A tensor at an address, not owned.
struct View {
  std::byte* data = nullptr;
  TensorDesc desc;
};

/// The view's rows [top, top+h) and columns [left, left+w): same memory, no copy.
View crop_view(View view, std::int64_t top, std::int64_t left, std::int64_t h, std::int64_t w);

/// The view mirrored: same memory, negative strides, no copy.
View flip_view(View view, Flip flip);

/// A tensor of doubles in logical NCHW order, whatever its layout. References compute with it.
struct Tensor64 {
  Shape shape;
  std::vector<double> values;
};

/// Images [first, first+count) of a view as doubles.
Tensor64 to_double(const View& view, std::int64_t first, std::int64_t count);

/// Writes doubles to images [first, …) of a view: rounded to nearest even, uint8 saturated.
void from_double(const Tensor64& tensor, const View& view, std::int64_t first);

}  // namespace normbench
