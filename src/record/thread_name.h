/// Names of threads, as debuggers, `top` and profilers show them.
#pragma once

#include <string>
#include <string_view>

namespace normbench {

/// Names the calling thread for the operating system, which keeps the first 15 bytes, and for an
/// NVTX tool.
void name_this_thread(std::string_view name);

/// Returns the name that the calling thread was given, else its name in the operating system.
/// There, a program's first thread has the program's name.
std::string name_of_this_thread();

}  // namespace normbench
