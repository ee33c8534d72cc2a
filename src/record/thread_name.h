/// Names of threads, as debuggers, `top` and profilers show them.
#pragma once

#include <string>
#include <string_view>

namespace normbench {

/// Sets the name of the calling thread in the operating system (the first 15 bytes of `name`) and
/// in an attached NVTX tool.
void name_this_thread(std::string_view name);

/// Returns the full name that name_this_thread() set for the calling thread. If it set none,
/// returns the thread's name in the operating system. For the first thread of the process, that is
/// the name of the program.
std::string name_of_this_thread();

}  // namespace normbench
