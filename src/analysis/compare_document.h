/// Documents to compare, checked: what a file is when it is no results document of this version.
#pragma once

#include <string>
#include <string_view>

#include "core/json.h"
#include "document/results.h"

namespace normbench {

/// What JSON that is not ours seems to be ("Google Benchmark's output", "a config of normbench"),
/// or
/// "" for nothing known.
std::string_view seems_to_be(const Json& document);

/// The results in the text of a file. Throws BadInput, naming `file`, for text that is not JSON or
/// cut off, another tool's document, one of a newer schema, and one with a case twice.
Results read_compared(const std::string& file, std::string_view text);

}  // namespace normbench
