#pragma once

#include <cstdint>

namespace normbench {

/// Calls of operator new in this program so far.
std::int64_t allocations();

}  // namespace normbench
