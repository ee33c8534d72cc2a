#pragma once

#include <cstdint>

namespace normbench {

/// Returns the number of calls of operator new in this program so far.
std::int64_t allocations();
/// Returns the number of bytes that all calls of operator new in this program have requested so
/// far.
std::int64_t allocated_bytes();

}  // namespace normbench
