/// Writes the JSON Schema of configs to a file.
#pragma once

#include <string>

namespace normbench {

std::string schema_text();

}  // namespace normbench
