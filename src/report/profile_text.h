/// The one profiler table that a terminal shows.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/sweep.h"
#include "measure/results.h"

namespace normbench {

/// The baseline's profile for one point, the winner's at the last point of a sweep (any that there
/// is where that one has none), narrowed to 100 columns and cut to `most_rows` (not below 3); ""
/// when nothing was profiled.
std::string shown_profile(const Experiment& experiment, const Results& results,
                          std::ptrdiff_t most_rows);

}  // namespace normbench
