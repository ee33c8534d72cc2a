/// Host memory that comes directly from the operating system.
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace normbench {

/// Returns untouched zero pages of a pageable memory kind. With `pageable_huge` the pages are
/// aligned to 2 MiB, and the system is advised to use huge pages. Throws std::runtime_error with
/// the failed call, the size and the text of errno.
std::unique_ptr<Allocation> map_pages(Memory memory, std::size_t bytes);

/// Makes one system call that gives physical memory to all pages of the `bytes` bytes at `begin`.
/// This is cheaper than a page fault for each page. Pages that already have memory keep their
/// contents. Returns false if the system call fails, for instance before Linux 5.14. The first
/// store to each page without memory then causes a page fault.
bool populate_pages(std::byte* begin, std::int64_t bytes);

/// Returns true if the system has the call that populate_pages() uses.
bool populates_pages();

}  // namespace normbench
