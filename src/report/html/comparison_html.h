/// A comparison as a page.
#pragma once

#include <string>

#include "analysis/compare/compare.h"

namespace normbench {

/// A file such as html_report() makes: the outcome first, then every case with BASE and NEW side by
/// side and its change drawn beside the margin, the worst first.
std::string html_comparison(const Comparison& comparison);

}  // namespace normbench
