/// The table of a swept experiment: a row per variant, a column per point.
#pragma once

#include <string>

#include "analysis/sweep.h"
#include "document/results.h"

namespace normbench {

/// Medians in ms, the fastest marked, and how far the last point is from its limit. Broken into
/// blocks below each other where the points do not fit; "" when nothing ran.
std::string pivot(const Experiment& experiment, const Results& results);

}  // namespace normbench
