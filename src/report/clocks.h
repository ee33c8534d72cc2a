/// The columns of the two clocks: the one that decides, and the other beside it. They overlap and
/// are never added up.
#pragma once

#include <string>

#include "document/results.h"

namespace normbench {

/// Title of the times that decide: "ms/batch" or "GPU ms/batch".
std::string time_title(const Results& results);

/// Title of the other times: "device ms" or "wall ms".
std::string other_time_title(const Results& results);

/// A measured case's time on the other clock; "" where no device was used.
std::string other_time(const CaseResult& result, const Results& results);

}  // namespace normbench
