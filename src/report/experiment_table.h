/// The table of one experiment as a terminal shows it.
#pragma once

#include <string>

#include "analysis/sweep/sweep.h"
#include "document/results.h"

namespace normbench {

/// One row per variant that ran: for one point all that is known of it, for a sweep a pivot with a
/// column per point. "" when nothing ran.
std::string experiment_table(const Experiment& experiment, const Results& results);

/// Skipped and failed cases, one line per distinct reason.
std::string left_out(const Experiment& experiment);

}  // namespace normbench
