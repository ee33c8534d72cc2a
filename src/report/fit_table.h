/// What the numeric axes of a swept experiment say, in table.txt.
#pragma once

#include <string>

#include "analysis/sweep.h"

namespace normbench {

/// One row per variant and axis: where it is faster than the baseline. "" without such an axis.
std::string crossover_table(const Experiment& experiment);

/// One row per variant and axis along which its bytes grow: fixed cost, rate, and how well the line
/// explains the times; then one line for each result that does not follow its work. "" for none.
std::string fit_table(const Experiment& experiment);

}  // namespace normbench
