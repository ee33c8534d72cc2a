#include "backend/cpu/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "core/system_error.h"
#include "core/units.h"
#include "machine/topology.h"

namespace normbench {
namespace {

constexpr std::size_t kHugeBytes = std::size_t{2} << 20;

[[noreturn]] void fail(const std::string& what, std::size_t bytes) {
  const int error = errno;
  throw std::runtime_error("cannot allocate " + format_bytes(bytes) + ": " + what +
                           " failed: " + system_error_text(error));
}

/// Rounds up to a multiple of `unit`. A size near SIZE_MAX is rounded down instead, to a size for
/// which mmap fails with ENOMEM.
std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (std::min(bytes, SIZE_MAX - 2 * unit) + unit - 1) / unit * unit;
}

class MappedPages final : public Allocation {
 public:
  MappedPages(std::size_t bytes, std::size_t alignment, std::size_t page)
      : bytes_(round_up(std::max<std::size_t>(bytes, 1), alignment)),
        mapped_(bytes_ + alignment - page) {
    base_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) fail("mmap", bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(base_);
    data_ = static_cast<std::byte*>(base_) + (round_up(address, alignment) - address);
  }
  ~MappedPages() override { munmap(base_, mapped_); }
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;

  std::byte* data() override { return data_; }
  std::size_t bytes() const override { return bytes_; }

 private:
  std::size_t bytes_, mapped_;
  void* base_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace

std::unique_ptr<Allocation> map_pages(Memory memory, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(page_bytes());
  if (memory == Memory::Pageable) return std::make_unique<MappedPages>(bytes, page, page);
  if (memory != Memory::PageableHuge)
    throw std::runtime_error("the CPU cannot allocate " + std::string(name_of(memory)) +
                             " memory (known: pageable, pageable_huge)");
  auto pages = std::make_unique<MappedPages>(bytes, kHugeBytes, page);
  if (madvise(pages->data(), pages->bytes(), MADV_HUGEPAGE) != 0)
    fail("madvise(MADV_HUGEPAGE)", bytes);
  return pages;
}

bool populate_pages(std::byte* begin, std::int64_t bytes) {
  if (bytes <= 0) return true;
  const auto page = static_cast<std::uintptr_t>(page_bytes());
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t before = address % page;
  return madvise(begin - before, before + static_cast<std::uintptr_t>(bytes),
                 MADV_POPULATE_WRITE) == 0;
}

bool populates_pages() { return madvise(nullptr, 0, MADV_POPULATE_WRITE) == 0; }

}  // namespace normbench
