/// Makes the JSON Schema of results documents.
#pragma once

#include <string_view>

#include "core/json.h"

namespace normbench {

/// The title of the schema, by which a file is recognised as the schema.
inline constexpr std::string_view kResultsSchemaTitle = "normbench results";

/// Returns the JSON Schema (2020-12) of results.json, made of the tables by which the document is
/// written and read. It accepts what read_results() accepts, of older versions, too. It does not
/// describe whether values agree with each other, and wants lists where one value is read as a list.
/// Members that it does not know are accepted, as newer versions may write more.
Json results_schema();

}  // namespace normbench
