/// The drawings of a report. All functions return empty markup if there is nothing to draw. Words
/// or numbers beside each drawing tell what it shows.
#pragma once

#include "analysis/sweep/sweep.h"
#include "report/html/markup.h"

namespace normbench::html {

/// Returns a CSS class for the n-th of several things with different colours: "c0" to "c7", then
/// "c0" again.
std::string colour(std::size_t n);

/// Shows all measured cases of a group in numbers, and a dot for each round's speed-up over the
/// baseline.
Markup ratio_table(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

/// Draws the stages of every case one after the other, and the least time the machine needs for
/// each.
Markup stage_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Draws every variant's time along one axis, with intervals, the limit of the fastest variant, and
/// the points where the winner changes.
Markup sweep_chart(const Experiment& experiment, const AxisLine& line);

/// Shows every variant's time at every point.
Markup points_table(const Experiment& experiment);

/// Shows the fastest variant at each point of two axes, in a table for each combination of the
/// other axes' values.
Markup winner_map(const Experiment& experiment);

/// Draws each case at the bytes that it moves and its time, and lines at the best rates of the
/// machine's memory. Empty unless cases move different numbers of bytes.
Markup bytes_chart(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

/// Draws the work of each pipeline's lanes while a few items were in flight. Each stage of each
/// item is a bar, hatched while no other lane works.
Markup flow_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Draws how busy the lanes of each pipeline are, and for how long no other lane works.
Markup lane_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Shows published figures beside the figures measured here.
Markup published_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Lists the cases that failed, with the errors of their outputs.
Markup wrong_outputs(const GroupResult& group);

/// Shows what disturbed the rounds of each case.
Markup noise_ledger(const GroupResult& group, const GroupAnalysis& analysis);

}  // namespace normbench::html
