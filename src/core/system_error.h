/// Texts for errors of the operating system.
#pragma once

#include <string>
#include <system_error>

namespace normbench {

/// Returns the text of an errno value, like "No such file or directory". If too many files are
/// open, the text also has the limit of this process: "Too many open files (the limit is 1,024:
/// ulimit -n)".
std::string system_error_text(int error);

/// Like the function above, but for a std::error_code.
std::string system_error_text(const std::error_code& error);

}  // namespace normbench
