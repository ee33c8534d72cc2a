/// Makes the JSON Schema of configs, which editors use to complete and check configs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace normbench {

/// The title of the schema, by which a file is recognised as the schema.
inline constexpr std::string_view kSchemaTitle = "normbench config";

/// The members of a stage with one op. Each has a JSON Schema, without axes.
struct OpMembers {
  Json own = Json::object();     // of the op alone, in the order in which it reads them
  Json common = Json::object();  // those that stages have whatever their op is
};

/// Returns the members of a stage with this op, which must be known, as its readers ask for them.
OpMembers op_members(const std::string& op);

/// Returns the JSON Schema (2020-12) of a config, built from the readers of the config. The planner
/// refuses everything that the schema refuses, and in addition stages that do not fit together.
/// `sort_keys` are the allowed values of "sort_by" in "profile".
Json config_schema(const std::vector<std::string>& sort_keys);

}  // namespace normbench
