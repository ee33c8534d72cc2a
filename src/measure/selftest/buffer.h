/// Memory of a place that notices what is written beside a tensor.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace normbench::selftest {

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
