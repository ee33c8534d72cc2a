/// Random inputs for the self-test, and buffers that detect writes outside of a tensor.
#pragma once

#include "backend/backend.h"
#include "ops/checks.h"

namespace normbench::selftest {

/// How an input lies in its buffer. `margin`: the number of unused pixels that surround it on each
/// side. `flip`: along which axes it is mirrored.
struct Look {
  std::int64_t margin = 0;
  Flip flip = Flip::None;
};

/// Returns the elements [first, first + count) of an endless random sequence. Elements of uint8 can
/// have any value. Elements of a float dtype are multiples of 1/128 from -128 up to 384, rounded to
/// the dtype.
std::vector<std::byte> random_elements(DType dtype, std::int64_t first, std::int64_t count);

/// Returns the range of random elements of this dtype, and whether they are whole numbers.
Accuracy random_accuracy(DType dtype);

/// The bytes of a tensor in host memory. Its elements are random, unless its bytes are passed to
/// the constructor.
class Input {
 public:
  Input(DType dtype, Layout layout, const Shape& shape, const Look& look = {});
  /// Makes a contiguous tensor from successive elements of random_elements(). The first of them has
  /// the number `first`. Multiplies all elements by feed.scale.
  Input(const Feed& feed, std::int64_t first);
  /// Makes a contiguous tensor with these bytes.
  Input(const TensorDesc& desc, std::vector<std::byte> bytes);

  /// Returns all bytes, including those of the margin.
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Returns the view of the tensor in a copy of bytes(). The copy begins at address `start` and is
  /// in this kind of memory.
  View view(std::byte* start, Memory memory) const;
  TensorDesc desc(Memory memory) const;
  const Tensor64& values() const { return values_; }
  /// Returns the range of the values of the tensor.
  const Accuracy& accuracy() const { return accuracy_; }

 private:
  TensorDesc base_;  // contiguous tensor of all bytes, with the margin
  Look look_;
  std::vector<std::byte> bytes_;
  Tensor64 values_;
  Accuracy accuracy_ = random_accuracy(base_.dtype);
};

/// Where the tensor starts in a buffer, and which bytes the buffer contains at first.
struct Placing {
  std::int64_t shift_bytes = 0;  // distance of the tensor from a cache line's start
  std::byte poison{0xFF};
  bool guarded = true;  // false: no guard bytes, for tools that check accesses
};

/// Memory for a tensor, with guard bytes before and after it. At first, all bytes have the value
/// `poison`, including the guard bytes. write() and read() access the tensor through the backend.
class Buffer {
 public:
  Buffer(Backend& owner, Memory memory, std::int64_t bytes, const Placing& placing);

  std::byte* data() const { return allocation_->data() + start_; }
  void write(std::int64_t offset, std::span<const std::byte> bytes);
  std::vector<std::byte> read(std::int64_t offset, std::int64_t bytes) const;
  std::vector<std::byte> read() const { return read(0, bytes_); }
  /// Returns where guard bytes have changed, like "wrote past the end of NAME (byte 3 after it)".
  /// Returns nothing if none has changed.
  std::optional<std::string> stray_write(std::string_view name) const;

 private:
  Backend& owner_;
  // `bytes_`: the size of the tensor. `start_`, `behind_`: the numbers of bytes before and after
  // it.
  std::int64_t bytes_, start_, behind_;
  std::byte poison_;
  std::unique_ptr<Allocation> allocation_;
};

}  // namespace normbench::selftest
