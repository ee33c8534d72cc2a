#include "record/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::int64_t> count{0}, bytes{0};
}  // namespace

std::int64_t normbench::allocations() { return count; }
std::int64_t normbench::allocated_bytes() { return bytes; }

void* operator new(std::size_t size) {
  ++count;
  bytes += static_cast<std::int64_t>(size);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
