/// Checks that a file follows the rules of this project for traces.
#pragma once

#include <string>
#include <vector>

namespace normbench {

/// Returns the mistakes in the text of a trace, or an empty list if there are none.
std::vector<std::string> check_chrome(const std::string& text);

/// Returns the mistakes in a trace file with these bytes, which may be gzip data with one member.
std::vector<std::string> check_chrome_file(const std::string& bytes);

}  // namespace normbench
