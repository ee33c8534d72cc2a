#pragma once

#include <cstdint>

namespace normbench {

/// Calls of operator new in this program so far.
std::int64_t allocations();
/// The bytes that those calls asked for.
std::int64_t allocated_bytes();

}  // namespace normbench
