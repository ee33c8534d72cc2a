/// Another process of this program.
#pragma once

#include <string>
#include <vector>

namespace normbench {

/// Runs this program with `arguments`, gives it `input` on stdin and returns its stdout; stderr is
/// shared. Throws std::runtime_error when it cannot be started or does not exit with 0.
std::string run_child(const std::vector<std::string>& arguments, const std::string& input);

/// Puts this program, started with `arguments`, in the place of this process; returns only when
/// that fails.
void become(const std::vector<std::string>& arguments);

}  // namespace normbench
