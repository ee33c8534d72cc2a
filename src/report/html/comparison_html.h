/// A comparison as a page that people look at.
#pragma once

#include <string>

#include "analysis/compare/compare.h"

namespace normbench {

/// One file, as html_report() makes them: the outcome first, then every case with BASE and NEW side
/// by side and its change drawn against the margin, the worst first.
std::string html_comparison(const Comparison& comparison);

}  // namespace normbench
