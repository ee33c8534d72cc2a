#include "measure/selftest/input.h"

#include <utility>

#include "measure/selftest/selftest.h"
#include "ops/source.h"

namespace normbench::selftest {

std::vector<std::byte> random_elements(DType dtype, std::int64_t first, std::int64_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * size_of(dtype)));
  if (dtype == DType::UInt8) {
    random_bytes(seed, first, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
    return bytes;
  }
  std::vector<std::uint8_t> random(static_cast<std::size_t>(2 * count));
  random_bytes(seed, 2 * first, random);
  Tensor64 values{.shape = {1, 1, 1, count}, .values = {}};
  for (std::size_t i = 0; i < random.size(); i += 2)
    values.values.push_back((random[i] + 256 * random[i + 1]) / 128.0 - 128);
  from_double(values, {bytes.data(), dense(dtype, Layout::Nchw, values.shape, Memory::Pageable)},
              0);
  return bytes;
}

Accuracy random_accuracy(DType dtype) {
  if (dtype == DType::UInt8) return {.low = 0, .high = 255, .whole = true};
  return {.low = -128, .high = 384};
}

Input::Input(DType dtype, Layout layout, const Shape& shape, const Look& look)
    : base_(dense(dtype, layout,
                  {shape.n, shape.c, shape.h + 2 * look.margin, shape.w + 2 * look.margin},
                  Memory::Pageable)),
      look_(look),
      bytes_(random_elements(dtype, 0, base_.elements())),
      values_(to_double(view(bytes_.data(), Memory::Pageable), 0, shape.n)) {}

Input::Input(const TensorDesc& desc, std::vector<std::byte> bytes)
    : base_(desc),
      bytes_(std::move(bytes)),
      values_(to_double(view(bytes_.data(), Memory::Pageable), 0, desc.shape.n)) {}

View Input::view(std::byte* start, Memory memory) const {
  const std::int64_t m = look_.margin;
  View whole{start, base_};
  whole.desc.memory = memory;
  return flip_view(crop_view(whole, m, m, base_.shape.h - 2 * m, base_.shape.w - 2 * m),
                   look_.flip);
}

TensorDesc Input::desc(Memory memory) const {
  return view(const_cast<std::byte*>(bytes_.data()), memory).desc;
}

}  // namespace normbench::selftest
