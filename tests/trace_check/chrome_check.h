/// Checks that a file keeps the rules of every trace that this project writes.
#pragma once

#include <string>
#include <vector>

namespace normbench {

/// What is wrong with the text of a trace; empty when nothing is.
std::vector<std::string> check_chrome(const std::string& text);

/// Checks the bytes of a file, which may be gzip data of one member.
std::vector<std::string> check_chrome_file(const std::string& bytes);

}  // namespace normbench
