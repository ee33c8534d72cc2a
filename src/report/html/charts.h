/// What a report draws: pure functions of measurements. Each is empty where there is nothing to
/// draw, and says in words or numbers beside the drawing what the drawing shows.
#pragma once

#include "analysis/sweep/sweep.h"
#include "report/html/markup.h"

namespace normbench::html {

/// A class for the n-th of several things told apart by colour: "c0" to "c7", over and over.
std::string colour(std::size_t n);

/// All measured cases of a group in numbers, and every round of theirs against the baseline's.
Markup ratio_table(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

/// The stages of every case one after the other, above the least that the machine needs for each.
Markup stage_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Every variant's time along one axis, with intervals, the limit of the fastest, and where the
/// winner changes.
Markup sweep_chart(const Experiment& experiment, const AxisLine& line);

/// Every variant's time at every point.
Markup points_table(const Experiment& experiment);

/// Who is fastest at each point of two axes.
Markup winner_map(const Experiment& experiment);

/// What each case moves against its time, with what the machine's memory and link reach.
Markup bytes_chart(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

/// What the lanes of each pipeline did while a few items were in flight, a bar for each stage of
/// each item; what nothing hides is hatched.
Markup flow_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// How busy the lanes of each pipeline are, and how much of that nothing hides.
Markup lane_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Published figures against those here.
Markup published_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// What the checks of outputs found wrong.
Markup wrong_outputs(const GroupResult& group);

/// What disturbed the rounds of each case.
Markup noise_ledger(const GroupResult& group, const GroupAnalysis& analysis);

}  // namespace normbench::html
