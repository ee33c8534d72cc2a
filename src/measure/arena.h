/// Memory that contenders take turns in, and where in it their buffers lie.
#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "plan/placement.h"

namespace normbench {

/// One block of memory of one kind, every page of it touched.
class Arena {
 public:
  /// Throws std::runtime_error: "needs 3.2 GB of pageable memory: mmap: Cannot allocate memory".
  Arena(Backend& owner, Memory memory, std::size_t bytes);

  std::byte* data() { return allocation_->data(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<Allocation> allocation_;
  std::size_t bytes_;
};

/// Offsets of the buffers, that of buffer b of set s at s * sizes.size() + b. They are multiples of
/// `line` in random order with random gaps below 4 KiB, at most about as large as the buffer after
/// them, and start anywhere that they fit in `capacity` bytes (at least `placement_bytes`).
std::vector<std::size_t> random_placement(std::span<const std::size_t> sizes, std::size_t sets,
                                          std::size_t capacity, std::mt19937_64& random,
                                          std::size_t line = 64);

}  // namespace normbench
