/// Tensors directly beside pages that the process may not access.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "core/tensor.h"

namespace normbench {

/// A mapping that starts as zeros. Only touched pages take memory.
class Mapping {
 public:
  explicit Mapping(std::size_t bytes) : bytes_(bytes) {
    data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data_ == MAP_FAILED) throw std::runtime_error("no address space for a test");
  }
  ~Mapping() { munmap(data_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_;
  std::size_t bytes_;
};

/// A tensor next to a page that ends the process when it is accessed. The page lies directly before
/// the first element, or directly behind the last one.
class Fenced {
 public:
  enum class Side { Before, Behind };

  Fenced(const TensorDesc& desc, Side fence)
      : desc_(desc),
        page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        inner_((static_cast<std::size_t>(desc.bytes()) + page_ - 1) / page_ * page_),
        pages_(inner_ + 2 * page_) {
    mprotect(pages_.data(), page_, PROT_NONE);
    mprotect(pages_.data() + page_ + inner_, page_, PROT_NONE);
    data_ = pages_.data() + page_;
    if (fence == Side::Behind) data_ += inner_ - static_cast<std::size_t>(desc.bytes());
  }

  View view() const { return {data_, desc_}; }

 private:
  const TensorDesc desc_;
  const std::size_t page_, inner_;
  const Mapping pages_;
  std::byte* data_;
};

}  // namespace normbench
