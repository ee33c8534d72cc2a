#include "core/tensor_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace normbench {

Json tensor_json(const TensorDesc& desc) {
  const Shape& shape = desc.shape;
  return {{"dtype", name_of(desc.dtype)},
          {"shape", {shape.n, shape.c, shape.h, shape.w}},
          {"layout", name_of(desc.layout)},
          {"memory", name_of(desc.memory)}};
}

TensorDesc read_tensor(Reader& reader) {
  auto shape = reader.integers("shape", {0, 0, 0, 0});
  // Beyond this the bytes of a tensor, and so its strides, would overflow.
  double elements = 1;
  for (const auto extent : shape) elements *= std::max(1.0, static_cast<double>(extent));
  if (shape.size() != 4 || elements > 0x1p60 || *std::ranges::min_element(shape) < 0) {
    reader.complain_at("shape", "expected [n, c, h, w]");
    shape = {0, 0, 0, 0};
  }
  return dense(reader.word("dtype", DType::UInt8), reader.word("layout", Layout::Nchw),
               {shape[0], shape[1], shape[2], shape[3]}, reader.word("memory", Memory::Pageable));
}

}  // namespace normbench
