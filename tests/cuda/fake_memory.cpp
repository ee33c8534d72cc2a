#include "cuda/fake_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace normbench {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::byte guard{0xFD};

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

}  // namespace

std::string_view name_of(FakeKind kind) {
  constexpr std::array names{"pageable",   "pinned",  "write_combined", "mapped",
                             "registered", "managed", "device",         "pool"};
  return names[static_cast<std::size_t>(kind)];
}

FakeMemory::~FakeMemory() {
  for (const auto& [data, block] : blocks_) released_.push_back(block);
  for (const FakeBlock& block : released_)
    if (block.mapping) munmap(block.mapping, block.mapping_bytes);
}

std::byte* FakeMemory::allocate(FakeKind kind, std::size_t bytes, bool usable) {
  const std::size_t pages = whole_pages(bytes);
  const std::size_t mapping_bytes = 2 * (pages + page_bytes);  // the second half is for `written`
  void* mapping =
      mmap(nullptr, mapping_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  auto* start = static_cast<std::byte*>(mapping);
  std::byte* data = start + page_bytes;
  std::byte* written = data + pages + page_bytes;
  // Without another flag than its neighbours, the kernel would merge `data` with them, and split it
  // off again, each time that protect() closes and opens it.
  madvise(data, pages, MADV_DONTDUMP);
  mprotect(data, pages, PROT_READ | PROT_WRITE);
  mprotect(written, pages, PROT_READ | PROT_WRITE);
  if (guards) {
    std::fill_n(data, bytes, poison);
    std::fill(data + bytes, data + pages, guard);
  }
  const FakeBlock block{.kind = kind,
                        .data = data,
                        .bytes = bytes,
                        .usable = usable,
                        .closed = closes_write_combined && kind == FakeKind::WriteCombined,
                        .mapping = start,
                        .mapping_bytes = mapping_bytes,
                        .written = written};
  protect(blocks_.emplace(data, block).first->second);
  return data;
}

bool FakeMemory::add_registered(std::byte* data, std::size_t bytes) {
  const auto first_page = [](const std::byte* at) {
    return reinterpret_cast<std::uintptr_t>(at) / page_bytes;
  };
  for (const auto& [start, block] : blocks_)
    if (first_page(data) <= first_page(start + block.bytes - 1) &&
        first_page(start) <= first_page(data + bytes - 1))
      return false;
  blocks_.emplace(data, FakeBlock{.kind = FakeKind::Registered, .data = data, .bytes = bytes});
  return true;
}

bool FakeMemory::release(const void* data) {
  const auto found = blocks_.find(static_cast<const std::byte*>(data));
  if (found == blocks_.end()) return false;
  FakeBlock block = found->second;
  blocks_.erase(found);
  if (!block.mapping) return true;
  if (!guards) return munmap(block.mapping, block.mapping_bytes) == 0;
  check_guard(block);
  mprotect(block.mapping, block.mapping_bytes, PROT_NONE);
  madvise(block.mapping, block.mapping_bytes, MADV_DONTNEED);
  madvise(block.data, whole_pages(block.bytes), MADV_DODUMP);  // so that it can be merged now
  released_.push_back(block);
  return true;
}

void FakeMemory::check_guard(const FakeBlock& block) {
  mprotect(block.data, whole_pages(block.bytes), PROT_READ);
  std::byte* end = block.data + whole_pages(block.bytes);
  if (std::any_of(block.data + block.bytes, end, [](std::byte b) { return b != guard; }))
    violations_.push_back(
        fmt::format("something wrote behind {} {}", name_of(block.kind), block.bytes));
}

void FakeMemory::open(const void* data) {
  FakeBlock& block = blocks_.at(static_cast<const std::byte*>(data));
  block.usable = true;
  protect(block);
  if (guards) std::fill_n(block.data, block.bytes, poison);
}

void FakeMemory::close(const void* data) {
  FakeBlock& block = blocks_.at(static_cast<const std::byte*>(data));
  if (guards) check_guard(block);
  block.usable = false;
  protect(block);
}

const FakeBlock* FakeMemory::find(const void* data, std::size_t bytes) const {
  const auto* start = static_cast<const std::byte*>(data);
  auto after = blocks_.upper_bound(start);
  if (after == blocks_.begin()) return nullptr;
  const FakeBlock& block = std::prev(after)->second;
  return start + bytes <= block.data + block.bytes ? &block : nullptr;
}

void FakeMemory::set_written(const void* data, std::size_t bytes) {
  const FakeBlock* block = find(data, bytes);
  if (!block || !block->written) return;
  std::fill_n(block->written + (static_cast<const std::byte*>(data) - block->data), bytes,
              std::byte{1});
}

void FakeMemory::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memmove(to, from, bytes);
  const FakeBlock *source = find(from, bytes), *target = find(to, bytes);
  if (!source || !is_device(source->kind) || !target || !target->written)
    return set_written(to, bytes);
  std::memmove(target->written + (to - target->data), source->written + (from - source->data),
               bytes);
}

FakeKind FakeMemory::kind_of(const void* data) const {
  const FakeBlock* block = find(data);
  return block ? block->kind : FakeKind::Pageable;
}

std::vector<std::string> FakeMemory::live() const {
  std::vector<std::string> names;
  for (const auto& [data, block] : blocks_)
    if (!block.freeing) names.push_back(fmt::format("{} {}", name_of(block.kind), block.bytes));
  return names;
}

void FakeMemory::protect(const FakeBlock& block) const {
  if (!guards || (!is_device(block.kind) && !block.closed)) return;
  const bool open = accesses_ > 0 && block.usable;
  mprotect(block.data, whole_pages(block.bytes), open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

FakeMemory::Access::Access(FakeMemory& memory) : memory_(memory) {
  if (++memory_.accesses_ == 1)
    for (const auto& [data, block] : memory_.blocks_) memory_.protect(block);
}

FakeMemory::Access::~Access() {
  if (--memory_.accesses_ == 0)
    for (const auto& [data, block] : memory_.blocks_) memory_.protect(block);
}

}  // namespace normbench
