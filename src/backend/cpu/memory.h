/// Host memory straight from the operating system.
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace normbench {

/// Untouched zero pages of a pageable kind; pageable_huge is aligned to 2 MiB and advised to use
/// huge pages. Throws std::runtime_error naming the failed call, the size and errno.
std::unique_ptr<Allocation> map_pages(Memory memory, std::size_t bytes);

/// Has the system map the pages of a part of a mapping with one call, which is cheaper than a fault
/// for each. What they hold stays. Does nothing where the system cannot (Linux before 5.14): first
/// touches then fault.
void populate_pages(std::byte* begin, std::int64_t bytes);

/// Whether the system can do that.
bool populates_pages();

}  // namespace normbench
