/// Describes the fields of the results document as JSON Schema.
#pragma once

#include "core/json.h"

namespace normbench {

/// Returns the JSON Schemas of all structs in results_fields.h, by name. The schema "results"
/// describes a whole document. It differs from read_results() in two points: it refuses a single
/// value in place of a list, and it does not check whether values agree with each other.
Json field_definitions();

}  // namespace normbench
