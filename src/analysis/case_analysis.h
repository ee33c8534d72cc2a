/// What one case's rounds say by themselves, against the baseline and against the limit.
#pragma once

#include "analysis/pipeline.h"
#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// A stage compared with its limit.
struct StageAnalysis {
  std::optional<Interval> of_limit;  // the limit's time over the stage's
  std::string limit;                 // name of the limit used, or ""
  double floor_ns = 0;               // the limit's time per iteration; 0 without one
};

struct CaseAnalysis {
  std::vector<StageAnalysis> stages;  // as in the case
  std::optional<double> floor_ns;     // sum of the stages' floors; nothing when a stage has none
  std::string binding;                // the limit that is most of that sum, or ""
  std::optional<double> bytes_moved;  // over the fewest from source to result
  std::optional<Interval> time_ns;    // per iteration: median and 95 % interval
  std::optional<Interval> ratio;      // its time over the baseline's; speed-up is the inverse
  std::optional<Levels> states;       // two levels of the logarithms of that ratio: its interval
                                      // holds both
  std::optional<Interval> of_limit;   // the limit's time over the case's time
  std::string limit;                  // name of the limit used
  std::optional<double> images_per_second;
  std::optional<double> faults;    // minor faults per iteration
  std::optional<double> switches;  // context switches per iteration; nothing for a peer
  std::optional<double> published_ms, published_speed_up;
  std::optional<PipelineAnalysis> pipeline = {};  // only with items in flight
  bool above_limit = false;  // faster than its limit beyond interval and precision: a bug
};

CaseAnalysis analyse_case(const GroupResult& group, const CaseResult& result,
                          const Results& results);

/// True for an ok case with at least one round.
bool measured(const CaseResult& result);

/// True for a measured case whose times may be compared with those of the other cases: others left
/// enough of its rounds alone, and enough of those rounds are undisturbed in every other case, too.
bool is_comparable(const GroupResult& group, const CaseResult& result, const Results& results);

/// The variant's place among the group's cases; -1 for none.
int index_of(const GroupResult& group, const std::string& variant);

/// Nanoseconds per iteration of every round, on the clock that decides.
std::vector<double> all_times_ns(const CaseResult& result, const Results& results);

/// Nanoseconds per iteration of every round; 0 for rounds that others held up (is_held_up), which
/// ratios and intervals leave out. All are 0 where too few are left: the time is not known then.
std::vector<double> times_ns(const CaseResult& result, const Results& results);

/// CPU nanoseconds per iteration of every round.
std::vector<double> cpu_times_ns(const CaseResult& result);

/// Median nanoseconds per iteration of a measured case.
double median_ns(const CaseResult& result, const Results& results);

/// Median nanoseconds per iteration of a measured case in something, by its turns; 0 without any.
double per_iteration_ns(const CaseResult& result, const std::vector<std::int64_t>& turns_ns);

/// The images in a batch, if all cases of a group start from as many; 0 where none has a source.
std::int64_t images_of(const GroupResult& group);

/// Minor faults per iteration: the median of the rounds.
double faults_per_iteration(const CaseResult& result);

/// Median wall and device nanoseconds per iteration of a measured case, whichever clock decides. A
/// case without a device has no device time.
double wall_ns(const CaseResult& result);
std::optional<double> device_ns(const CaseResult& result);
/// The median time until an iteration was all submitted to the device; nothing without a device.
std::optional<double> submitted_ns(const CaseResult& result);

/// True when the case has a stage that does nothing but what a limit of this kind bounds.
bool has_limit_of(const CaseResult& result, LimitKind kind);
/// True when a stage of the case loads images from files.
bool loads(const CaseResult& result);

/// True when a stage of the case runs on the GPU.
bool uses_gpu(const CaseResult& result);

/// Bytes per iteration that cross the link between host and device, both ways.
std::int64_t link_bytes(const CaseResult& result);
/// Bytes per iteration that all stages move.
std::int64_t moved_bytes(const CaseResult& result);

/// The part of a case's time that a stage takes: on the host of all stages' time, with a GPU of the
/// wall time, since host and device times overlap. 0 when not attributed.
double stage_share(const CaseResult& result, const StageResult& stage);

/// CPU seconds per image, of all threads of the process: the median of the rounds. Nothing for a
/// case without rounds.
std::optional<double> cpu_seconds_per_image(const CaseResult& result);

/// Counts over the steps of a case's profile; nothing where they were not read.
struct Counted {
  std::optional<double> instructions_per_cycle;
  std::optional<double> cycles, cache_misses, joules;  // per image
};
Counted counted_per_image(const CaseResult& result, const CaseProfile& profile);

/// The profile of a variant, or null.
const CaseProfile* find_profile(const GroupResult& group, const std::string& variant);

}  // namespace normbench
