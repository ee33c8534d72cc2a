/// Finds the source folder, for tests that read configs, goldens and scripts.
#pragma once

#include <string>

namespace normbench {

/// Returns the path of the checkout from which the tests were built.
std::string source_dir();

}  // namespace normbench
