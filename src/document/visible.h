/// Makes the texts of documents safe to print, because a name may contain control characters.
#pragma once

#include "document/results.h"

namespace normbench {

/// Returns a copy in which every text is on one line with readable control characters (see
/// on_one_line()). That includes names, questions, claims, reasons and facts of the machine. It is
/// for text output only; JSON, CSV and HTML use their own escapes.
Results visible(Results results);
ProfileRow visible(ProfileRow row);
Json visible(const Json& json);

}  // namespace normbench
