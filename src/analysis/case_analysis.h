/// The analysis of one case: its times, and its ratios to the baseline and to its limit. The limit
/// is the time that the machine itself needs to move the same bytes (analysis/limits.h).
#pragma once

#include "analysis/pipeline.h"
#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// A stage compared with its limit.
struct StageAnalysis {
  std::optional<Interval> of_limit;  // the limit's time over the stage's time
  std::string limit;                 // name of the limit used; "" without one
  double floor_ns = 0;               // the limit's time per iteration; 0 without one
};

struct CaseAnalysis {
  std::vector<StageAnalysis> stages;  // one for each stage of the case
  std::optional<double> floor_ns;     // sum over the stages; nothing if a stage has no limit
  std::string binding;  // name of the limit that contributes most to `floor_ns`, or ""
  std::optional<double> bytes_moved;  // bytes that the stages move, divided by the fewest possible
  std::optional<Interval> time_ns;    // per iteration: median and 95 % interval
  // The case's time over the baseline's, paired by round. Its inverse is the speed-up.
  std::optional<Interval> ratio;
  // The median of the case's times over the median of the baseline's times; set if `ratio` is set.
  // contradicts() tells whether it is too far from `ratio`, which is a median of ratios.
  std::optional<double> of_medians;
  // The two levels between which the log ratios to the baseline change in the course of the rounds
  // (two_levels). Nothing if there is only one level.
  std::optional<Levels> states;
  std::optional<Interval> of_limit;  // the limit's time over the case's time
  std::string limit;                 // name of the limit used; "" without one
  std::optional<double> images_per_second;
  std::optional<double> faults;    // minor faults per iteration
  std::optional<double> switches;  // context switches per iteration; nothing if a peer ran it
  // The published time per iteration on the deciding clock (Results::clock), and the published
  // speed-up. Nothing if none was published.
  std::optional<double> published_ms, published_speed_up;
  std::optional<PipelineAnalysis> pipeline = {};  // set if several items are in flight
  // The case is certainly faster than the limit that moves the same bytes, by more than the target
  // precision (precision_of). One of the two times must then be wrong.
  bool above_limit = false;
};

class MeasuredGroup;
/// Analyses the case with this index.
CaseAnalysis analyse_case(const MeasuredGroup& group, int index);

/// Returns true if the status of the case is Ok and it has at least one round.
bool measured(const CaseResult& result);

/// Returns the index of the variant among the group's cases; -1 if there is none.
int index_of(const GroupResult& group, const std::string& variant);

/// Returns the time per iteration of every round, in ns on the deciding clock (Results::clock). If
/// a round has no device time, all times are wall times.
std::vector<double> all_times_ns(const CaseResult& result, const Results& results);

/// Returns all_times_ns(), with 0 for each round that does not count because other programs used
/// the processors (is_held_up). Ratios and intervals leave out times of 0. If too few rounds count
/// (is_busy), no time is set to 0.
std::vector<double> times_ns(const CaseResult& result, const Results& results);

/// Returns the CPU time per iteration of every round, in ns.
std::vector<double> cpu_times_ns(const CaseResult& result);

/// Returns the median of times_ns() of a measured case. Times of 0 are left out.
double median_ns(const CaseResult& result, const Results& results);

/// Returns the median of `turns_ns` divided by the iterations of a turn. A turn is what the case
/// does in one round, and `turns_ns` has one time in ns for each turn. Returns 0 if `turns_ns` is
/// empty or the case was not measured.
double per_iteration_ns(const CaseResult& result, const std::vector<std::int64_t>& turns_ns);

/// Returns the number of images in a batch of the first case with a source; 0 if no case has one.
std::int64_t images_of(const GroupResult& group);

/// Returns the median over the rounds of minor page faults per iteration.
double faults_per_iteration(const CaseResult& result);

/// Return the median wall time and device time per iteration of a measured case, in ns. The
/// deciding clock does not matter. device_ns() returns nothing for a case without device times.
double wall_ns(const CaseResult& result);
std::optional<double> device_ns(const CaseResult& result);
/// Returns the median time from the start of an iteration until all its work is submitted to the
/// device, in ns. Returns nothing for a case without a device.
std::optional<double> submitted_ns(const CaseResult& result);

/// Returns true if a stage of the case exists only to measure a limit of this kind.
bool has_limit_of(const CaseResult& result, LimitKind kind);
/// Returns true if a stage of the case loads images from files.
bool loads(const CaseResult& result);

/// Returns true if a stage of the case runs on the GPU.
bool uses_gpu(const CaseResult& result);

/// Returns the bytes per iteration that cross the link between host and device, in both directions.
std::int64_t link_bytes(const CaseResult& result);
/// Returns the bytes per iteration that all stages move.
std::int64_t moved_bytes(const CaseResult& result);

/// Returns the share of a case's time that a stage takes, or 0 if the stage has no times. For a
/// case without a GPU it is a share of the sum of all stages' times. For a case with a GPU it is a
/// share of the wall time, since host and device times overlap.
double stage_share(const CaseResult& result, const StageResult& stage);

/// Returns the CPU seconds per image over all threads of the process, as the median of the rounds.
/// Returns nothing for a case without rounds or images, or for a peer that reports no CPU time.
std::optional<double> cpu_seconds_per_image(const CaseResult& result);

/// What hardware counters showed in a profile; nothing for a counter that was not read. `joules` is
/// the energy of the processor packages and the GPU.
struct Counted {
  std::optional<double> instructions_per_cycle;
  std::optional<double> cycles, cache_misses, joules;  // per image
};
Counted counted_per_image(const CaseResult& result, const CaseProfile& profile);

/// Returns the profile of a variant; null if there is none.
const CaseProfile* find_profile(const GroupResult& group, const std::string& variant);

}  // namespace normbench
