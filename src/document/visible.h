/// Makes texts of documents safe for a terminal, because names may have control characters.
#pragma once

#include "document/results.h"

namespace normbench {

/// Returns a copy in which on_one_line() was applied to every text, including names and facts of
/// the machine. For text output only; JSON, CSV and HTML have escapes of their own.
Results visible(Results results);
ProfileRow visible(ProfileRow row);
Json visible(const Json& json);

/// Returns true if visible() changes nothing. Makes no copy.
bool is_visible(const Results& results);

}  // namespace normbench
