#include "ops/own_code.h"

#include <tuple>

namespace normbench {

OwnBatches OwnBatches::read(Reader& reader) {
  OwnBatches op;
  op.shape.n = reader.integer("batch", op.shape.n, 1, largest_extent);
  op.shape.c = reader.integer("channels", op.shape.c, 1, largest_extent);
  if (const auto size = read_pair(reader, "size", 1, "[height, width]"))
    std::tie(op.shape.h, op.shape.w) = *size;
  op.dtype = reader.word("dtype", op.dtype);
  op.layout = reader.word("layout", op.layout);
  op.cached = reader.boolean("cached", op.cached);
  return op;
}

std::vector<TensorDesc> OwnBatches::infer(std::span<const TensorDesc>) const {
  return one_output(dtype, layout, shape, Memory::Pageable);
}

OwnTransform OwnTransform::read(Reader& reader) {
  OwnTransform op;
  if (reader.has("channels")) op.channels = reader.integer("channels", 1, 1, largest_extent);
  op.size = read_pair(reader, "size", 1, "[height, width]");
  if (reader.has("dtype")) op.dtype = reader.word("dtype", DType::Float32);
  if (reader.has("layout")) op.layout = reader.word("layout", Layout::Nchw);
  return op;
}

std::vector<TensorDesc> OwnTransform::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  Shape shape = x.shape;
  shape.c = channels.value_or(shape.c);
  if (size) std::tie(shape.h, shape.w) = *size;
  return one_output(dtype.value_or(x.dtype), layout.value_or(x.layout), shape, x.memory);
}

}  // namespace normbench
