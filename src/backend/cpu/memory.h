/// Host memory that comes directly from the operating system.
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace normbench {

/// Returns untouched zero pages of a pageable memory kind. pageable_huge is aligned to 2 MiB and
/// advised to use huge pages. Throws std::runtime_error with the failed call, the size and errno.
std::unique_ptr<Allocation> map_pages(Memory memory, std::size_t bytes);

/// Makes the system map the pages of a part of a mapping with one call, which is cheaper than a
/// fault for each page. The pages keep their contents. Does nothing if the system lacks the call
/// (Linux before 5.14). First touches then fault.
void populate_pages(std::byte* begin, std::int64_t bytes);

/// Returns true if the system has the call that populate_pages() uses.
bool populates_pages();

}  // namespace normbench
