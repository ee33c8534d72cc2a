/// The tables in table.txt about a group, which is all measured variants at one point of a sweep:
/// its cases, its stages, and the measurements that show how far its numbers can be trusted.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

/// Returns a text like "1.403 (1.392-1.411)".
std::string ratio_text(const Interval& ratio);
/// Returns a text like "51 % (50 %-52 %)".
std::string percents_text(const Interval& share);

/// Returns a row for each case: status, times, ratio, limit, counters. Published figures and notes
/// follow.
std::string case_table(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results);

/// Returns a row for each stage of every case: kernel, place, output, bytes, time, share, limit. A
/// GPU stage has two times: the time on the device, and the time of its calls on the host. The two
/// overlap.
std::string stage_table(const GroupResult& group, const GroupAnalysis& analysis);

/// Returns a row for each lane (group of stages) of every pipeline: the time of an item while only
/// this lane works, and how busy the lane is while several items are in flight. The first row of a
/// pipeline also has the latencies and the bound of the pipeline. Returns "" if there is no
/// pipeline.
std::string lane_table(const GroupResult& group, const GroupAnalysis& analysis);

/// Returns a row for each limit (a measurement of how fast the machine is): bytes, whether they are
/// in a cache, time, rate, page faults.
std::string limit_table(const GroupResult& group, const Results& results);

/// Returns a row for each pair of cases: the ratio of their times with its interval, and a finding
/// like "faster" or "too few rounds".
std::string pair_table(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results);

/// Returns a row for each measured case, with what disturbed its rounds. If the ratio of a case to
/// the baseline depends on disturbed rounds, a line below the table has the ratio without them.
std::string noise_table(const GroupResult& group, const GroupAnalysis& analysis);

/// Returns a row for each case that ran, with the largest error of its output and the bound of this
/// error.
std::string check_table(const GroupResult& group);
/// Returns a row for each case that loads files, with facts about its dataset. Returns "" if no
/// case loads files.
std::string dataset_table(const GroupResult& group);

/// Returns a row for each profiled case: page faults and context switches per step; cycles, LLC
/// misses and joules per image. The reasons for missing counts follow.
std::string counter_table(const GroupResult& group);

struct TitledTable {
  std::string title, body;
};
/// Returns the tables above that are not empty, and the verdict, in the order of table.txt.
std::vector<TitledTable> titled_tables(const GroupResult& group, const GroupAnalysis& analysis,
                                       const Results& results);

/// Returns the profiler tables of every profiled case with all rows: torch.profiler's table, then
/// the stats table (percentiles, rates and limits of the calls) with profile_footers().
std::string profile_tables(const GroupResult& group, const GroupAnalysis& analysis,
                           const Results& results);

/// The highest rate that was measured for one kind of limit (see best_limits()).
struct BestLimit {
  std::string name;  // "1:4" (read:write), "GPU 1:4", "h2d pinned"
  bool link = false;
  double bytes_per_second = 0;
};
/// Returns the highest rate of each kind of limit (a measurement of how fast the machine is). There
/// are these kinds:
/// - in memory: limits of one place (CPU or GPU) with the same ratio of bytes written to bytes
///   read. Only limits count that move as many bytes as a whole case.
/// - over the link: limits with the same direction and the same kind of host memory
/// Limits whose bytes are in a cache are left out.
std::vector<BestLimit> best_limits(const GroupResult& group, const Results& results);
/// Returns the result of best_limits() as text: a separator, and then, for example, "limits
/// (read:write): 1:1 39.8, 1:4 49.4, GPU 1:4 2,610, h2d pinned 55.3 GB/s". Returns "" if there are
/// no limits.
std::string limits_summary(const GroupResult& group, const Results& results);

}  // namespace normbench
