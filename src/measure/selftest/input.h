/// Random inputs of the self-test, and buffers that detect writes outside of a tensor.
#pragma once

#include "backend/backend.h"
#include "ops/checks.h"

namespace normbench::selftest {

/// How an input lies in its buffer: with a margin of other pixels around it, mirrored, or both.
struct Look {
  std::int64_t margin = 0;
  Flip flip = Flip::None;
};

/// Returns elements [first, first + count) of an endless random sequence. An element of uint8 may
/// be any value. An element of a float dtype is a multiple of 1/128 from -128 to 384, rounded to
/// the dtype.
std::vector<std::byte> random_elements(DType dtype, std::int64_t first, std::int64_t count);

/// Returns the range of random elements of this dtype, and whether they are whole numbers.
Accuracy random_accuracy(DType dtype);

/// The bytes of a tensor in host memory. Elements are random unless a constructor takes bytes.
class Input {
 public:
  Input(DType dtype, Layout layout, const Shape& shape, const Look& look = {});
  /// Makes a contiguous tensor of the random elements from `first` on, multiplied by feed.scale.
  Input(const Feed& feed, std::int64_t first);
  /// Makes a contiguous tensor of these bytes.
  Input(const TensorDesc& desc, std::vector<std::byte> bytes);

  /// All bytes, also of the margin.
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Returns the view of a copy of the tensor whose bytes() lie at `start`, in this kind of memory.
  View view(std::byte* start, Memory memory) const;
  TensorDesc desc(Memory memory) const;
  const Tensor64& values() const { return values_; }
  /// The range of the tensor's values.
  const Accuracy& accuracy() const { return accuracy_; }

 private:
  TensorDesc base_;  // all bytes, with the margin; contiguous
  Look look_;
  std::vector<std::byte> bytes_;
  Tensor64 values_;
  Accuracy accuracy_ = random_accuracy(base_.dtype);
};

/// How a buffer is placed and what it holds at first.
struct Placing {
  std::int64_t shift_bytes = 0;  // distance from the start of a cache line
  std::byte poison{0xFF};
  bool guarded = true;  // false: no guard bytes, so that other tools can guard the tensor
};

/// Memory for a tensor, between guard bytes. All bytes, also the guard bytes, are poisoned at
/// first. write() and read() access them through the backend.
class Buffer {
 public:
  Buffer(Backend& owner, Memory memory, std::int64_t bytes, const Placing& placing);

  std::byte* data() const { return allocation_->data() + start_; }
  void write(std::int64_t offset, std::span<const std::byte> bytes);
  std::vector<std::byte> read(std::int64_t offset, std::int64_t bytes) const;
  std::vector<std::byte> read() const { return read(0, bytes_); }
  /// Returns where guard bytes changed, like "wrote past the end of NAME (byte 3 after it)", or
  /// nothing if none did.
  std::optional<std::string> stray_write(std::string_view name) const;

 private:
  Backend& owner_;
  // `start_`, `behind_`: bytes before and behind the tensor.
  std::int64_t bytes_, start_, behind_;
  std::byte poison_;
  std::unique_ptr<Allocation> allocation_;
};

}  // namespace normbench::selftest
