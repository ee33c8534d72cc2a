/// What the points of an experiment say together, in words and tables.
#pragma once

#include "analysis/sweep/fit.h"
#include "analysis/sweep/trends.h"
#include "core/text.h"

namespace normbench {

/// One row per variant that ran: for one point all that is known of it, for a sweep a pivot with a
/// column per point. "" when nothing ran.
std::string experiment_table(const Experiment& experiment, const Results& results,
                             const Screen& screen = {});

/// Skipped and failed cases, one line per distinct reason.
std::vector<std::string> left_out(const Experiment& experiment);

/// The lines a person reads under an experiment's table: the group's own for one point; else who is
/// fastest at which points, reasons at the last point, and where the claims hold.
std::vector<std::string> verdict_lines(const Experiment& experiment, const Results& results);

/// "From batch 8 on, fused wins: it overtakes eager between 4 and 8".
std::string overtaking_text(const AxisLine& line, const Overtaking& change);
/// What a crossing says of b: "from 8 on (between 4 and 8)", "never, up to 64", "at all 3 points".
std::string crossing_text(const Crossing& crossing);
/// "Fixed cost of fused: 0.80 ms; then 65.2 GB/s, 90 % of it from batch 24 on"; "" when no line
/// fits or there is no fixed cost.
std::string fit_text(const AxisLine& line, const AxisFit& fit);
/// "Does not scale: fused takes no longer at batch 64 than at 1, for 64.0x the bytes; …".
std::string unscaled_text(const AxisLine& line, const Unscaled& result);
/// "No input: fused at batch=8 (0 images, 0 B), so its time means nothing".
std::string empty_input_text(const Experiment& experiment, const EmptyInput& empty);

/// One row per variant and axis: where it is faster than the baseline. "" without such an axis.
std::string crossover_table(const Experiment& experiment);

/// One row per variant and axis along which its bytes grow: fixed cost, rate, and how well the line
/// explains the times; then one line for each result that does not follow its work. "" for none.
std::string fit_table(const Experiment& experiment);

/// Why a trend has no ends: "needs both sides at two values of batch", and that the run ended
/// before.
std::string trend_needs(const TrendJudgement& judgement);

}  // namespace normbench
