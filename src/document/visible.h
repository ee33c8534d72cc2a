/// Documents as text shows them: a document that somebody else wrote may hold anything in a name.
#pragma once

#include "document/results.h"

namespace normbench {

/// The same with every text in it on one line, its control characters as people can read them
/// (on_one_line() has how): names, questions, claims, reasons, facts of the machine. For text only;
/// JSON, CSV and HTML have escapes of their own.
Results visible(Results results);
ProfileRow visible(ProfileRow row);
Json visible(const Json& json);

}  // namespace normbench
