/// Words for errors of the operating system.
#pragma once

#include <string>
#include <system_error>

namespace normbench {

/// Returns an errno value in words, like "No such file or directory". If too many files are open,
/// the limit of this process is named: "Too many open files (the limit is 1,024: ulimit -n)".
std::string system_error_text(int error);

/// Returns the error in words, like the function above.
std::string system_error_text(const std::error_code& error);

}  // namespace normbench
