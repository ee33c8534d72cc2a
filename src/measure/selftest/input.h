/// Random inputs of the self-test, and memory that notices what is written beside a tensor.
#pragma once

#include "backend/backend.h"
#include "ops/checks.h"

namespace normbench::selftest {

/// How an input lies in its buffer: with pixels around it that are not its own, mirrored, or both.
struct Look {
  std::int64_t margin = 0;
  Flip flip = Flip::None;
};

/// Elements [first, first + count) of the endless random sequence: any uint8, or multiples of 1/128
/// from -128 to 384 rounded to the dtype.
std::vector<std::byte> random_elements(DType dtype, std::int64_t first, std::int64_t count);

/// What is known of random elements.
Accuracy random_accuracy(DType dtype);

/// A tensor, random unless said otherwise: its bytes in host memory, and how rows see them.
class Input {
 public:
  Input(DType dtype, Layout layout, const Shape& shape, const Look& look = {});
  /// A contiguous tensor of random elements from the `first` one on, multiplied by feed.scale.
  Input(const Feed& feed, std::int64_t first);
  /// A contiguous tensor of these bytes instead.
  Input(const TensorDesc& desc, std::vector<std::byte> bytes);

  /// All bytes, those of the margin included.
  std::span<const std::byte> bytes() const { return bytes_; }
  /// The tensor when its bytes are at `start` in memory of kind `memory`.
  View view(std::byte* start, Memory memory) const;
  TensorDesc desc(Memory memory) const;
  const Tensor64& values() const { return values_; }
  /// What is known of its values.
  const Accuracy& accuracy() const { return accuracy_; }

 private:
  TensorDesc base_;  // contiguous
  Look look_;
  std::vector<std::byte> bytes_;
  Tensor64 values_;
  Accuracy accuracy_ = random_accuracy(base_.dtype);
};

/// How a buffer is placed and what it holds at first.
struct Placing {
  std::int64_t shift_bytes = 0;  // past a cache line
  std::byte poison{0xFF};
  bool guarded = true;  // false: an allocation of just the tensor, where other tools keep guard
};

/// The bytes of a tensor between guards, all poisoned. Host code reaches them through the backend.
class Buffer {
 public:
  Buffer(Backend& owner, Memory memory, std::int64_t bytes, const Placing& placing);

  std::byte* data() const { return allocation_->data() + start_; }
  void write(std::int64_t offset, std::span<const std::byte> bytes);
  std::vector<std::byte> read(std::int64_t offset, std::int64_t bytes) const;
  std::vector<std::byte> read() const { return read(0, bytes_); }
  /// "wrote past the end of NAME (byte 3 after it)", or nothing.
  std::optional<std::string> stray_write(std::string_view name) const;

 private:
  Backend& owner_;
  std::int64_t bytes_, start_, behind_;  // guard bytes in front and behind
  std::byte poison_;
  std::unique_ptr<Allocation> allocation_;
};

}  // namespace normbench::selftest
