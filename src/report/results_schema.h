/// Makes the JSON Schema of results documents.
#pragma once

#include <string_view>

#include "core/json.h"

namespace normbench {

/// The title of the schema. written_as() recognises a file with this title as the schema.
inline constexpr std::string_view kResultsSchemaTitle = "normbench results";

/// Returns the JSON Schema (2020-12) of results.json. It is made from the tables with which
/// documents are written and read.
/// - It accepts all documents that read_results() accepts, also those of older versions, with one
///   exception: it requires a list in places where read_results() accepts a single value, too.
/// - It does not check whether values agree with each other.
/// - It accepts unknown members, because newer versions may write more members.
Json results_schema();

}  // namespace normbench
