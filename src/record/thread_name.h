/// Names of threads, as debuggers, `top` and profilers show them.
#pragma once

#include <string>
#include <string_view>

namespace normbench {

/// Names the calling thread for the operating system, which keeps the first 15 bytes, and for an
/// NVTX tool.
void name_this_thread(std::string_view name);

/// What the calling thread was named, else its name in the operating system: of a program's first
/// one the program's.
std::string name_of_this_thread();

}  // namespace normbench
