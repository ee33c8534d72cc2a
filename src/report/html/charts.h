/// The drawings of an HTML report. If there is nothing to draw, each function returns empty markup.
/// Words or numbers next to each drawing have the same information.
#pragma once

#include "analysis/sweep/sweep.h"
#include "report/html/markup.h"

namespace normbench::html {

/// Returns the CSS class for the colour of the n-th thing in a drawing: "c0" to "c7", then "c0"
/// again.
std::string colour(std::size_t n);

/// Returns a table of all measured cases of a group. Each row has the numbers of a case and a
/// drawing, with a dot for the speed-up over the baseline in each round.
Markup ratio_table(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

/// Draws, for every case, the times of its stages one after the other. Below each stage, a bar
/// shows the least time that the machine needs for it.
Markup stage_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Draws every variant's time along one axis of a sweep, with intervals, the limit (least possible
/// time) of the fastest variant, and the points where the winner changes.
Markup sweep_chart(const Experiment& experiment, const AxisLine& line);

/// Returns a table with every variant's time at every point of a sweep.
Markup points_table(const Experiment& experiment);

/// Shows the fastest variant for each combination of the values of two axes. If there are more
/// axes, each combination of their values has a table of its own.
Markup winner_map(const Experiment& experiment);

/// Draws each case as a dot at its bytes and its time. Lines show the best rates of the machine's
/// memory. Returns empty markup if all cases move the same number of bytes.
Markup bytes_chart(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

/// Draws, for each pipeline, the work of its lanes (groups of stages) on a few items. Each stage of
/// an item is a bar. Times at which no other lane works are hatched.
Markup flow_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Draws how busy the lanes (groups of stages) of each pipeline are. The part of this time in which
/// no other lane works is hatched.
Markup lane_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Shows each published figure (a time or a speed-up) next to the figure that was measured here.
Markup published_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Returns a table of the cases that failed, with the reasons and the errors of their outputs.
Markup wrong_outputs(const GroupResult& group);

/// Returns a table with what disturbed the rounds of each case.
Markup noise_ledger(const GroupResult& group, const GroupAnalysis& analysis);

}  // namespace normbench::html
