/// Makes the JSON Schema of configs, which editors use to complete and check configs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace normbench {

/// The title of the schema. A file with this title is recognised as the schema.
inline constexpr std::string_view kSchemaTitle = "normbench config";

/// Returns the JSON Schema (2020-12) of a config. It is made from what the config's readers ask
/// for, so it cannot differ from them. Everything that the schema refuses is a mistake. Mistakes in
/// how stages fit together are found by the planner alone. `sort_keys` are the columns by which
/// tables can be sorted.
Json config_schema(const std::vector<std::string>& sort_keys);

}  // namespace normbench
