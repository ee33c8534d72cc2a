/// `normbench list kernels`: the rows there are, and what they choose on this machine.
#pragma once

#include <string>

#include "backend/backend.h"

namespace normbench {

/// A line per op with its rows in each place, defaults marked, then what the CPU's rows go by here.
std::string kernels_text(const Backends& backends);

}  // namespace normbench
