/// Texts and tables about all points of an experiment together.
#pragma once

#include "analysis/sweep/fit.h"
#include "analysis/sweep/trends.h"
#include "core/text.h"

namespace normbench {

/// Returns a table with a row for each variant that ran. For one point, its columns are times,
/// rates, shares of limits and so on. For a sweep, it has a column for each point, with the median
/// times. Returns "" if no variant ran.
std::string experiment_table(const Experiment& experiment, const Results& results,
                             const Screen& screen = {});

/// Returns a line for each reason why cases were skipped, failed or not measured, with the names of
/// these cases.
std::vector<std::string> left_out(const Experiment& experiment);

/// Returns the lines below an experiment's table. For an experiment with one point, they are its
/// verdict. For a sweep, they say which variant is fastest at which points, why the winner of the
/// last point is faster there, and at which points each claim of the experiment holds.
std::vector<std::string> verdict_lines(const Experiment& experiment, const Results& results);

/// Returns a sentence like "From batch 8 on, fused wins: it overtakes eager between 4 and 8".
std::string overtaking_text(const AxisLine& line, const Overtaking& change);
/// Returns where `crossing.b` is faster than `crossing.a`, like "from 8 on (between 4 and 8)",
/// "never, up to 64" or "at all 3 points".
std::string crossing_text(const Crossing& crossing);
/// Returns a text about a line fitted to a variant's times, like "Fixed cost of fused: 0.80 ms;
/// then 65.2 GB/s, 90 % of it from batch 24 on". Returns "" if no line fits the times, or if every
/// point reaches 90 % of the rate.
std::string fit_text(const AxisLine& line, const AxisFit& fit);
/// Returns a text about a variant whose time does not grow with its bytes, like "Does not scale:
/// fused takes no longer at batch 64 than at 1, for 64.0x the bytes; ...".
std::string unscaled_text(const AxisLine& line, const Unscaled& result);
/// Returns a text about a case without input, like "No input: fused at batch=8 (0 images, 0 B), so
/// its time means nothing".
std::string empty_input_text(const Experiment& experiment, const EmptyInput& empty);

/// Returns a table with a row for each variant and numeric axis. The row tells where the variant is
/// faster than the baseline. Returns "" if there is no numeric axis.
std::string crossover_table(const Experiment& experiment);

/// Returns a table with a row for each variant and each axis along which its bytes grow. The row
/// has the fixed cost and the rate of the line that was fitted to the times, and how well it fits.
/// The lines of unscaled_text() come below the table. Returns "" if there are no rows.
std::string fit_table(const Experiment& experiment);

/// Returns why a claim about a trend (how a ratio of two variants' times changes along an axis) was
/// not judged, like "needs both sides at two values of batch". If the run was interrupted, ", which
/// the run did not come to" follows.
std::string trend_needs(const TrendJudgement& judgement);

}  // namespace normbench
