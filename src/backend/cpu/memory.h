/// Host memory that comes directly from the operating system.
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace normbench {

/// Returns untouched zero pages of a pageable memory kind. With pageable_huge they are aligned to 2
/// MiB, and the system is advised to use huge pages. Throws std::runtime_error with the failed
/// call, the size and errno.
std::unique_ptr<Allocation> map_pages(Memory memory, std::size_t bytes);

/// Maps all pages of a part of a mapping with one system call, which is cheaper than a page fault
/// for each page. The pages keep their contents. Returns false if not all pages were mapped: before
/// Linux 5.14, or if the memory is not the system's own. Then the first store to a page faults.
bool populate_pages(std::byte* begin, std::int64_t bytes);

/// Returns true if the system has the call that populate_pages() uses.
bool populates_pages();

}  // namespace normbench
