/// The JSON Schema of configs, with which editors complete and check them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace normbench {

/// The title of the schema, by which a file is recognised as one.
inline constexpr std::string_view kSchemaTitle = "normbench config";

/// The JSON Schema (2020-12) of a config, made from what its readers ask for, so that the two
/// cannot differ. What it refuses is a mistake. Only the plan sees mistakes in how stages fit
/// together. `sort_keys`: the columns that tables can be sorted by.
Json config_schema(const std::vector<std::string>& sort_keys);

}  // namespace normbench
