/// Checks that a file follows the rules for traces of this project.
#pragma once

#include <string>
#include <vector>

namespace normbench {

/// Returns the mistakes in the text of a trace; empty if there are none.
std::vector<std::string> check_chrome(const std::string& text);

/// Checks the bytes of a file. They may be gzip data with one member. Returns the mistakes.
std::vector<std::string> check_chrome_file(const std::string& bytes);

}  // namespace normbench
