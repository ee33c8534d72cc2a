/// Makes documents harmless to show: somebody else may have written anything into a name.
#pragma once

#include "document/results.h"

namespace normbench {

/// A copy in which every text is on one line with readable control characters (see on_one_line()):
/// names, questions, claims, reasons, facts of the machine. Only for text: JSON, CSV and HTML have
/// escapes of their own.
Results visible(Results results);
ProfileRow visible(ProfileRow row);
Json visible(const Json& json);

}  // namespace normbench
