/// Names of threads, as debuggers, `top` and profilers show them.
#pragma once

#include <string>
#include <string_view>

namespace normbench {

/// Sets the name of the calling thread in the operating system (the first 15 bytes of `name`) and
/// in an attached NVTX tool.
void name_this_thread(std::string_view name);

/// Returns the full name given to name_this_thread(), else the name in the operating system, which
/// for the first thread is the name of the program.
std::string name_of_this_thread();

}  // namespace normbench
