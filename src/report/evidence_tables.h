/// The tables of a group in table.txt: its cases and stages, and what is behind their numbers.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

/// "1.403 (1.392-1.411)".
std::string ratio_text(const Interval& ratio);
/// "51 % (50 %-52 %)".
std::string percents_text(const Interval& share);

/// One row per case: status, times, ratio, limit, counters; then published figures.
std::string case_table(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results);

/// One row per stage of every case: kernel, place, output, bytes, time, share, limit. Of a GPU
/// stage the time on the device, and beside it the host's time in its calls: these overlap.
std::string stage_table(const GroupResult& group, const GroupAnalysis& analysis);

/// One row per lane of every pipeline: its work alone and in flight, and what bounds the pipeline.
/// "" without any.
std::string lane_table(const GroupResult& group, const GroupAnalysis& analysis);

/// One row per limit: bytes, whether a cache holds them, time, rate, faults.
std::string limit_table(const GroupResult& group, const Results& results);

/// One row per pair: ratio with its interval, and what it says.
std::string pair_table(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results);

/// One row per measured case: what disturbed its rounds; then the ratios that depend on that.
std::string noise_table(const GroupResult& group, const GroupAnalysis& analysis);

/// One row per case that ran: error against its bound.
std::string check_table(const GroupResult& group);
/// What cases load from; "" where none does.
std::string dataset_table(const GroupResult& group);

/// One row per profiled case: what was counted over its steps; then why the rest is not there.
std::string counter_table(const GroupResult& group);

struct TitledTable {
  std::string title, body;
};
/// All of the above that say something, and the verdict: a group in table.txt but for its profiles.
std::vector<TitledTable> titled_tables(const GroupResult& group, const GroupAnalysis& analysis,
                                       const Results& results);

/// Every case's profiler tables with all rows: torch.profiler's, the percentiles, what they add up
/// to.
std::string profile_tables(const GroupResult& group, const GroupAnalysis& analysis,
                           const Results& results);

/// The fastest limit of its kind.
struct BestLimit {
  std::string name;  // "1:4" (read:write), "GPU 1:4", "h2d pinned"
  bool link = false;
  double bytes_per_second = 0;
};
/// The best of each mix that a case has, place and kind of host memory, none of them in the cache.
std::vector<BestLimit> best_limits(const GroupResult& group, const Results& results);
/// " · limits (read:write): 1:1 39.8, 1:4 49.4, GPU 1:4 2,610, h2d pinned 55.3 GB/s"; "" without
/// limits.
std::string limits_summary(const GroupResult& group, const Results& results);

}  // namespace normbench
