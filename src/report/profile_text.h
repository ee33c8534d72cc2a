/// The one profiler table that a terminal shows.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/sweep/sweep.h"
#include "document/results.h"
#include "report/table_formats.h"

namespace normbench {

/// The baseline's profile for one point, the winner's at the last point of a sweep (any that there
/// is where that one has none), narrowed to 100 columns and cut so that all takes `most_lines` (but
/// not below 3 rows); "" when nothing was profiled.
std::string shown_profile(const Experiment& experiment, const Results& results, TableKind kind,
                          std::ptrdiff_t most_lines);

}  // namespace normbench
