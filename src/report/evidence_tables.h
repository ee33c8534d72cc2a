/// The tables of a group in table.txt: its cases and stages, and the evidence for their numbers.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

/// "1.403 (1.392-1.411)".
std::string ratio_text(const Interval& ratio);
/// "51 % (50 %-52 %)".
std::string percents_text(const Interval& share);

/// A row per case: status, times, ratio, limit, counters; then published figures.
std::string case_table(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results);

/// A row per stage of every case: kernel, place, output, bytes, time, share, limit. A GPU stage has
/// its time on the device, and beside it the host's time in its calls: these overlap.
std::string stage_table(const GroupResult& group, const GroupAnalysis& analysis);

/// A row per lane of every pipeline: its work alone and in flight, and what bounds the pipeline. ""
/// without pipelines.
std::string lane_table(const GroupResult& group, const GroupAnalysis& analysis);

/// A row per limit: bytes, whether a cache holds them, time, rate, faults.
std::string limit_table(const GroupResult& group, const Results& results);

/// A row per pair: the ratio with its interval, and its meaning.
std::string pair_table(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results);

/// A row per measured case: what disturbed its rounds; then the ratios that change with that.
std::string noise_table(const GroupResult& group, const GroupAnalysis& analysis);

/// A row per case that ran: its error and its bound.
std::string check_table(const GroupResult& group);
/// A row per case that loads: its dataset; "" where none does.
std::string dataset_table(const GroupResult& group);

/// A row per profiled case: what was counted over its steps; then why other counts are missing.
std::string counter_table(const GroupResult& group);

struct TitledTable {
  std::string title, body;
};
/// All tables above that are not empty, and the verdict: a group in table.txt without its profiles.
std::vector<TitledTable> titled_tables(const GroupResult& group, const GroupAnalysis& analysis,
                                       const Results& results);

/// Every case's profiler tables with all rows: torch.profiler's, the percentiles, and the
/// totals.
std::string profile_tables(const GroupResult& group, const GroupAnalysis& analysis,
                           const Results& results);

/// The fastest limit of its kind.
struct BestLimit {
  std::string name;  // "1:4" (read:write), "GPU 1:4", "h2d pinned"
  bool link = false;
  double bytes_per_second = 0;
};
/// The best limit for each mix of a case, place and kind of host memory; none is in the cache.
std::vector<BestLimit> best_limits(const GroupResult& group, const Results& results);
/// " · limits (read:write): 1:1 39.8, 1:4 49.4, GPU 1:4 2,610, h2d pinned 55.3 GB/s"; "" without
/// limits.
std::string limits_summary(const GroupResult& group, const Results& results);

}  // namespace normbench
