/// The points of an experiment together, in words and tables.
#pragma once

#include "analysis/sweep/fit.h"
#include "analysis/sweep/trends.h"
#include "core/text.h"

namespace normbench {

/// Returns a row for each variant that ran: for one point all that is known of it, for a sweep a
/// column for each point. Returns "" if nothing ran.
std::string experiment_table(const Experiment& experiment, const Results& results,
                             const Screen& screen = {});

/// Returns the skipped and failed cases, a line for each reason.
std::vector<std::string> left_out(const Experiment& experiment);

/// Returns the lines under an experiment's table. For one point they are the verdict of its group.
/// For a sweep they tell which variant is fastest at which points, the reasons at the last point,
/// and where the claims hold.
std::vector<std::string> verdict_lines(const Experiment& experiment, const Results& results);

/// Returns a sentence like "From batch 8 on, fused wins: it overtakes eager between 4 and 8".
std::string overtaking_text(const AxisLine& line, const Overtaking& change);
/// Returns where b is faster than a: "from 8 on (between 4 and 8)", "never, up to 64" or "at all 3
/// points", for example.
std::string crossing_text(const Crossing& crossing);
/// Returns a text like "Fixed cost of fused: 0.80 ms; then 65.2 GB/s, 90 % of it from batch 24 on".
/// Returns "" if no line fits or there is no fixed cost.
std::string fit_text(const AxisLine& line, const AxisFit& fit);
/// Returns a text like "Does not scale: fused takes no longer at batch 64 than at 1, for 64.0x the
/// bytes; …".
std::string unscaled_text(const AxisLine& line, const Unscaled& result);
/// Returns a text like "No input: fused at batch=8 (0 images, 0 B), so its time means nothing".
std::string empty_input_text(const Experiment& experiment, const EmptyInput& empty);

/// Returns a row for each variant and numeric axis: where the variant is faster than the baseline.
/// Returns "" without such an axis.
std::string crossover_table(const Experiment& experiment);

/// Returns a row for each variant and axis on which its bytes grow: fixed cost, rate, and how well
/// the line explains the times. A line for each result that does not grow with its work follows.
/// Returns "" without any.
std::string fit_table(const Experiment& experiment);

/// Returns why a trend has no ends: "needs both sides at two values of batch", or that the run
/// ended early.
std::string trend_needs(const TrendJudgement& judgement);

}  // namespace normbench
