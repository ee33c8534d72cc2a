/// The folder in which tests find configs, goldens and scripts.
#pragma once

#include <string>

namespace normbench {

/// The checkout that the tests were built from.
std::string source_dir();

}  // namespace normbench
