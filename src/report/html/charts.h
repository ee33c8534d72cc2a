/// The drawings of a report: pure functions of measurements. Each is empty where there is nothing
/// to draw, and has words or numbers beside it that say what it shows.
#pragma once

#include "analysis/sweep/sweep.h"
#include "report/html/markup.h"

namespace normbench::html {

/// A class for the n-th of several things told apart by colour: "c0" to "c7", over and over.
std::string colour(std::size_t n);

/// All measured cases of a group in numbers, with every round compared with the baseline's.
Markup ratio_table(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

/// The stages of every case, one after the other, and the least time the machine needs for each.
Markup stage_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Every variant's time along one axis, with intervals, the limit of the fastest, and where the
/// winner changes.
Markup sweep_chart(const Experiment& experiment, const AxisLine& line);

/// Every variant's time at every point.
Markup points_table(const Experiment& experiment);

/// The fastest variant at each point of two axes.
Markup winner_map(const Experiment& experiment);

/// The bytes that each case moves and its time, beside what the machine's memory and link reach.
Markup bytes_chart(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

/// The work of each pipeline's lanes while a few items were in flight: a bar for each stage of each
/// item, hatched where no other lane works.
Markup flow_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// How busy the lanes of each pipeline are, and for how long no other lane works.
Markup lane_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// Published figures beside those measured here.
Markup published_chart(const GroupResult& group, const GroupAnalysis& analysis);

/// The outputs that checks found wrong.
Markup wrong_outputs(const GroupResult& group);

/// What disturbed the rounds of each case.
Markup noise_ledger(const GroupResult& group, const GroupAnalysis& analysis);

}  // namespace normbench::html
