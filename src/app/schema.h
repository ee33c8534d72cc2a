/// The JSON Schema of configs, as text for a file.
#pragma once

#include <string>

namespace normbench {

std::string schema_text();

}  // namespace normbench
