/// The points of an experiment together, in words and tables.
#pragma once

#include "analysis/sweep/fit.h"
#include "analysis/sweep/trends.h"
#include "core/text.h"

namespace normbench {

/// A row per variant that ran: for one point all that is known of it, for a sweep a column per
/// point. "" when nothing ran.
std::string experiment_table(const Experiment& experiment, const Results& results,
                             const Screen& screen = {});

/// The skipped and failed cases, a line per reason.
std::vector<std::string> left_out(const Experiment& experiment);

/// The lines under an experiment's table: for one point the group's own; else who is fastest at
/// which points, reasons at the last point, and where the claims hold.
std::vector<std::string> verdict_lines(const Experiment& experiment, const Results& results);

/// "From batch 8 on, fused wins: it overtakes eager between 4 and 8".
std::string overtaking_text(const AxisLine& line, const Overtaking& change);
/// A crossing as seen from b: "from 8 on (between 4 and 8)", "never, up to 64", "at all 3 points".
std::string crossing_text(const Crossing& crossing);
/// "Fixed cost of fused: 0.80 ms; then 65.2 GB/s, 90 % of it from batch 24 on"; "" when no line
/// fits or there is no fixed cost.
std::string fit_text(const AxisLine& line, const AxisFit& fit);
/// "Does not scale: fused takes no longer at batch 64 than at 1, for 64.0x the bytes; …".
std::string unscaled_text(const AxisLine& line, const Unscaled& result);
/// "No input: fused at batch=8 (0 images, 0 B), so its time means nothing".
std::string empty_input_text(const Experiment& experiment, const EmptyInput& empty);

/// A row per variant and axis: where it is faster than the baseline. "" without such an axis.
std::string crossover_table(const Experiment& experiment);

/// A row per variant and axis on which its bytes grow: fixed cost, rate, how well the line explains
/// the times; then a line for each result that does not grow with its work. "" without any.
std::string fit_table(const Experiment& experiment);

/// Why a trend has no ends: "needs both sides at two values of batch", or that the run ended
/// early.
std::string trend_needs(const TrendJudgement& judgement);

}  // namespace normbench
