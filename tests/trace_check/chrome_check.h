/// The rules that every trace this project writes keeps, held against a file.
#pragma once

#include <string>
#include <vector>

namespace normbench {

/// What is wrong with the text of a trace; empty when nothing is.
std::vector<std::string> check_chrome(const std::string& text);

/// Checks the bytes of a file, which may be gzip data of one member.
std::vector<std::string> check_chrome_file(const std::string& bytes);

}  // namespace normbench
