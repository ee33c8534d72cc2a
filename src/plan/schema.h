/// Makes the JSON Schema of configs. Editors use it to complete and check configs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace normbench {

/// The title of the schema, by which a file is recognised as the schema.
inline constexpr std::string_view kSchemaTitle = "normbench config";

/// The members of a stage with one op, each with its JSON Schema. The schemas do not accept "$axis"
/// (a reference to an axis of the sweep) in place of a value.
struct OpMembers {
  Json own = Json::object();     // the op's own members, in the order in which it reads them
  Json common = Json::object();  // members of all stages, such as `place` and `output`
};

/// Returns the members of a stage with the op `op`, which must be known.
OpMembers op_members(const std::string& op);

/// Returns the JSON Schema (2020-12) of a config. It is built from the functions that read a
/// config, so the planner refuses everything that the schema refuses. In addition, the planner
/// refuses stages that do not fit together. `sort_keys` are the allowed values of "sort_by" in
/// "profile".
Json config_schema(const std::vector<std::string>& sort_keys);

}  // namespace normbench
