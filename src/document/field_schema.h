/// Describes the fields of the results document as JSON Schema.
#pragma once

#include "core/json.h"

namespace normbench {

/// Returns the definitions of all structs in results_fields.h, by name; "results" is the document.
/// A document is accepted if read_results() accepts it, with two exceptions: single values in place
/// of lists are refused, and whether values agree with each other is not described.
Json field_definitions();

}  // namespace normbench
