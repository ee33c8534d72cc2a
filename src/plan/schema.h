/// The JSON Schema of configs, by which editors complete and check them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace normbench {

/// Its title, by which a file is known to be one.
inline constexpr std::string_view kSchemaTitle = "normbench config";

/// JSON Schema (2020-12) of a config, made from what its readers ask for, so that it cannot say
/// something else than they do. What it refuses is a mistake; mistakes in how stages fit together
/// are seen by the plan alone. `sort_keys` are those that tables can be sorted by.
Json config_schema(const std::vector<std::string>& sort_keys);

}  // namespace normbench
