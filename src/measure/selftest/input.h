/// Random inputs of the self-test.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor.h"
#include "ops/accuracy.h"

namespace normbench::selftest {

/// How an input lies in its buffer: with pixels around it that are not its own, mirrored, or both.
struct Look {
  std::int64_t margin = 0;
  Flip flip = Flip::None;
};

/// Elements [first, first + count) of the endless random sequence: any uint8, or multiples of 1/128
/// from -128 to 384 rounded to the dtype.
std::vector<std::byte> random_elements(DType dtype, std::int64_t first, std::int64_t count);

/// What is known of them.
Accuracy random_accuracy(DType dtype);

/// A tensor, random unless said otherwise: its bytes in host memory, and how rows see them.
class Input {
 public:
  Input(DType dtype, Layout layout, const Shape& shape, const Look& look = {});
  /// A contiguous tensor of these bytes instead.
  Input(const TensorDesc& desc, std::vector<std::byte> bytes);

  /// All bytes, those of the margin included.
  std::span<const std::byte> bytes() const { return bytes_; }
  /// The tensor when its bytes are at `start` in memory of kind `memory`.
  View view(std::byte* start, Memory memory) const;
  TensorDesc desc(Memory memory) const;
  const Tensor64& values() const { return values_; }

 private:
  TensorDesc base_;  // contiguous
  Look look_;
  std::vector<std::byte> bytes_;
  Tensor64 values_;
};

}  // namespace normbench::selftest
