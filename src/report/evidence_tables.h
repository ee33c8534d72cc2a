/// The tables of a group in table.txt: cases, stages, and the evidence for their numbers.
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
/// GPU stage has two times, which overlap: on the device, and on the host for its calls.
std::string stage_table(const GroupResult& group, const GroupAnalysis& analysis);

/// Returns a row for each lane of every pipeline: its time per item alone, and how busy it is with
/// items in flight. The first row of a pipeline also has its latencies and its bound. Returns ""
/// without pipelines.
std::string lane_table(const GroupResult& group, const GroupAnalysis& analysis);

/// Returns a row for each limit: bytes, whether a cache holds them, time, rate, page faults.
std::string limit_table(const GroupResult& group, const Results& results);

/// Returns a row for each pair of cases: the ratio of their times with its interval, and a finding
/// like "faster" or "too few rounds".
std::string pair_table(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results);

/// Returns a row for each measured case: what disturbed its rounds. Below is the ratio without
/// disturbed rounds of each case whose ratio depends on them.
std::string noise_table(const GroupResult& group, const GroupAnalysis& analysis);

/// Returns a row for each case that ran: its error, and the bound of the error.
std::string check_table(const GroupResult& group);
/// Returns a row for each case that loads files: its dataset; "" if no case does.
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
/// the stats table with profile_footers().
std::string profile_tables(const GroupResult& group, const GroupAnalysis& analysis,
                           const Results& results);

/// The fastest measured limit of one kind.
struct BestLimit {
  std::string name;  // "1:4" (read:write), "GPU 1:4", "h2d pinned"
  bool link = false;
  double bytes_per_second = 0;
};
/// Returns the highest rate of each kind of limit:
/// - in memory: a place and a ratio of bytes written to bytes read, if whole cases have this ratio
/// - over the link: a direction and the kind of the host's memory
/// Limits whose bytes are in a cache are left out.
std::vector<BestLimit> best_limits(const GroupResult& group, const Results& results);
/// Returns a text like " · limits (read:write): 1:1 39.8, 1:4 49.4, GPU 1:4 2,610, h2d pinned 55.3
/// GB/s"; "" without limits.
std::string limits_summary(const GroupResult& group, const Results& results);

}  // namespace normbench
