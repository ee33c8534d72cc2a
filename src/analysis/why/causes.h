/// Explains the time of a case. Causes are computed from counters, bytes, stage times and cases
/// that differ in one factor. Also computes the cost of page-locking and of preparing a dataset.
#pragma once

#include "analysis/limits.h"
#include "analysis/measured_document.h"
#include "analysis/why/factors.h"
#include "analysis/why/parts.h"

namespace normbench {

struct Pair;

/// A measured case that differs from another one in a single factor.
struct Twin {
  const CaseResult* result = nullptr;
  double time_ns = 0;
  bool faster = false;  // certainly faster, by more than the precision
  Interval saved;       // 1 - (time of this case / time of the other case)
};

/// Returns `other` as a twin of `own`, compared over the rounds that both have.
Twin compared(const GroupResult& group, const CaseResult& own, const CaseResult& other,
              const Results& results);

/// A case that does the same work as another case, but with few page faults.
struct Unfaulting {
  std::string variant;
  bool is_peer = false;  // true: only the allocator differs; false: outputs are reused
  double time_ns = 0;
};

/// The cost of page faults in a case with fresh outputs.
struct FaultCost {
  double faults = 0;  // number of faults per iteration
  // Cost of one page fault in ns. The `first_touch` limit measures the cost of page faults.
  // - With a twin: what the twin saves per fault, but at most the cost in the `first_touch` limit.
  // - Without a twin: the cost in the `first_touch` limit.
  // - Nothing for a peer with a twin, since the twin's allocator may use pages of another size.
  std::optional<double> cost_ns = {};
  bool at_most = false;  // `cost_ns` is an upper bound, since the twin or the limit is missing
  // The share of the case's time that the faults take. With a twin, it is the share that the twin
  // saves. Without a twin, it is the upper bound `faults` * `cost_ns` / time, and the interval
  // begins at 0.
  Interval share = {};
  std::optional<Unfaulting> twin = {};
};

/// Returns the cost of the case's page faults, found with a twin if there is one. The twin of a
/// case that normbench runs itself differs only in that it reuses all outputs. The twin of a peer's
/// case differs only in the allocator that its command selects. Returns nothing if one of these
/// holds:
/// - The case has no faults.
/// - It has a twin, but the twin is not faster.
/// - It has no twin, and no page-fault limit was measured for its kind of memory.
std::optional<FaultCost> fault_cost(const GroupResult& group, int index, const Results& results);

/// One type for each cause. Some have the time per iteration of another case that is faster:
/// - `cached_ns`: a case that caches its constants;
/// - `without_ns`: a case that waits less often;
/// - `with_ns`: a case with another number of threads.
namespace why {
struct ConstantsEachCall {
  std::optional<double> cached_ns;  // nothing if the share was taken from the profile instead
};
struct LongImage {  // one image takes most of a batch, although there are several threads
  std::string name;
  double image_ns, batch_ns;  // profiled times of the image and of its batch
};
struct Decoding {
  std::optional<LongImage> bounded_by;
};
struct Reading {};
struct Waiting {  // the host waits for the GPU
  Wait after;
  double without_ns;
};
// PricedWaiting, PricedLaunches and TeamStart are estimates. Each has the number of its events per
// iteration (waits, launches or starts of teams) and `cost_ns`, the time of one event according to
// the limits. `cost_ns` is reduced if all events together would take longer than the case.
struct PricedWaiting {
  double waits, cost_ns;
};
struct Submitting {  // the host submits work while the GPU is idle
  double busy;       // share of the time in which the GPU works
};
struct PricedLaunches {
  std::int64_t count;
  double cost_ns;
};
struct LaunchLimit {};
// The case has fewer threads than a faster case, which has `more` threads.
struct FewerThreads {
  int more;
  double with_ns;
};
struct SmallerTeam {  // a case with `fewer` threads is faster
  int fewer;
  double with_ns;
};
struct TeamStart {
  double teams;
  int threads;  // number of threads in each team
  double cost_ns;
};
struct FixedPart {  // time that does not depend on the bytes (fixed_cost_ns)
  double fixed_ns;
};
struct LimitOfOneThread {
  int more;
  double wider;  // memory rate of `more` threads / memory rate of one thread
};
struct LinkLimit {
  std::int64_t bytes;
  double of_limit;
  bool only_bytes;  // true: nothing that was measured transfers as many bytes in less time
};
struct LinkTime {};
struct MemoryLimit {
  std::int64_t bytes;
  bool only_bytes;  // true: nothing that was measured moves as many bytes in less time
};
struct ExtraPasses {
  double moved, fewest;  // bytes per iteration
};
struct Floors {  // the limits of the stages add up to nearly all of the time
  LimitKind kind;
  std::string binding;
};
struct OneStage {
  std::string label;
};
struct StageApart {  // the stages in which a slow case differs most from the fastest
  std::vector<std::string> labels = {};
  double own_ns = 0, its_ns = 0;  // per iteration
  // True: the fastest case has these stages, too, perhaps with other kernels. They take `its_ns`.
  bool is_in_both = false;
  // If `is_in_both` is false: the stages that only the fastest case has; `its_ns` is their time.
  std::vector<std::string> instead = {};
};
struct InFlight {             // the case is at the bound of its pipeline
  PipelineAnalysis pipeline;  // always has a `bound`
};
}  // namespace why

struct Cause {
  std::variant<std::monostate, FaultCost, why::ConstantsEachCall, why::Decoding, why::Reading,
               why::Waiting, why::PricedWaiting, why::Submitting, why::PricedLaunches,
               why::LaunchLimit, why::FewerThreads, why::SmallerTeam, why::TeamStart,
               why::FixedPart, why::LimitOfOneThread, why::LinkLimit, why::LinkTime,
               why::MemoryLimit, why::ExtraPasses, why::Floors, Gain, why::OneStage,
               why::StageApart, why::InFlight>
      found;
  double share = 0;     // share of the case's time; 0: not known
  bool proven = false;  // true: measured with a case that differs only in the cause

  explicit operator bool() const { return found.index() != 0; }
};

/// Returns the cause with the largest share of the case's time; an empty cause if nothing explains
/// the time. For a pipeline with a known bound, the cause is that bound.
Cause explain(const GroupResult& group, const CaseAnalysis& analysis, int index,
              const MeasuredDocument& document);

/// Returns explain() of a case that is slower than the fastest one, with one exception: if this
/// cause names a stage or a resource, but the two cases differ more in the time of another stage,
/// returns the stage in which they differ most (why::StageApart).
Cause explain_slow(const GroupResult& group, const CaseAnalysis& analysis, int index, int fastest,
                   const MeasuredDocument& document);

/// Returns the kind of limit that a cause names; nothing for other causes.
std::optional<LimitKind> limit_of(const Cause& cause);

/// The case whose time is to be explained.
struct Subject {
  const GroupResult& group;
  const CaseAnalysis& analysis;
  int index;
  const MeasuredDocument& document;
  const Results& results = document.results();

  const CaseResult& result() const { return group.cases[index]; }
  double time_ns() const { return median_ns(result(), results); }
};

// Each function below that is named *_cause returns an empty cause if the measurements do not show
// one.
/// Finds constants, such as a mean tensor, that are prepared on every call. Their cost is known
/// from a case that caches them and is otherwise the same. If there is no such case, the cost is
/// taken from the profile.
Cause constants_cause(const Subject& subject);
/// Finds another number of threads that saves at least `least_share` of the time:
/// - A case of one thread is compared with cases that differ only in having more threads. If there
///   is no such case, and the case is at the limit of one thread, that limit is compared with a
///   stream of more threads.
/// - A case of several threads is compared with cases that differ only in having fewer threads.
Cause threads_cause(const Subject& subject, double least_share);
/// Finds the time to start the case's teams of threads, if it is at least half of the case's time.
Cause team_start_cause(const Subject& subject);
/// Finds the part of the time that does not depend on the bytes (fixed_cost_ns), if it is at least
/// half of the time.
Cause fixed_part_cause(const Subject& subject);
/// Finds transfers that take most of the time or are at their limit.
Cause link_cause(const Subject& subject);
/// Finds time in which the host waits for the GPU. It is known from a case that waits less often,
/// or else from the measured cost of a wait.
Cause sync_cause(const Subject& subject);
/// Finds time that the host takes to submit work to the GPU. It is known from the times of the
/// submitting calls, or else from the time of empty launches.
Cause launch_cause(const Subject& subject);

/// Returns the time per iteration in which the GPU works, in ns. Takes the first of these times
/// that is known:
/// - the time between the CUDA events around the stages, if it is at least 20 us per stage;
/// - the time that CUPTI measured in the profile pass;
/// - the time between the events, less the time between two events with no work between them.
/// Returns nothing if none of these is known.
std::optional<double> busy_ns(const Subject& subject);

/// Returns true if no other case and no stream with more threads moves as many bytes as the subject
/// in a time that is shorter by more than the target precision (precision_of).
bool only_bytes_are_slow(const Subject& subject);

/// Returns true if the bytes may decide the case's time. Returns false in these cases:
/// - A fixed cost, or the start of the case's teams of threads, takes at least half of the time.
/// - The start of these teams was not measured, and the case is so short that the start may take
///   half of its time or more.
bool bytes_decide(const Subject& subject);

/// Returns the fastest measured case that differs from the subject only in the factor `kind`.
/// `wanted` takes the factor's values in the subject (`own`) and in a candidate (`its`), and
/// returns false if the candidate is to be left out. Returns nothing if no candidate is left.
std::optional<Twin> twin(const Subject& subject, Factor::Kind kind,
                         bool (*wanted)(const FactorValue& own, const FactorValue& its));

/// What it costs to page-lock a buffer once, and what that saves in every batch afterwards.
struct PinningCost {
  bool registers = false;  // true: memory is registered in place; false: copied into pinned memory
  double once_ns = 0;      // time to allocate and copy, or to register and unregister
  Interval saved_ns{};     // per batch, with page-locked instead of pageable memory
};

/// Returns the cost of page-locking, taken from the cheapest case that locks memory in every batch.
/// Returns nothing if it is not known what page-locked memory saves per batch. This saving is the
/// first of these that was measured:
/// - the largest difference between two cases, one with pageable and one with page-locked memory,
///   which do not differ otherwise;
/// - the largest difference between a case with pageable memory and the same case with additional
///   stages that lock memory in every batch. The time of these stages is subtracted.
std::optional<PinningCost> pinning_cost(const GroupResult& group, const Results& results);

/// The cost of preparing the dataset of the fastest case, and the time that this case saves against
/// the baseline in each pass over all images.
struct PreparingCost {
  int index = 0;  // index of the fastest case
  // Times to prepare the datasets of the fastest case and of the baseline, from their manifests. 0
  // for a baseline without a manifest.
  double once_seconds = 0, baseline_seconds = 0;
  double saved_seconds = 0;  // per pass over all images, against the baseline
};

/// Returns the cost of preparing the dataset of the fastest case. `to_baseline` is the pair of the
/// fastest case and the baseline. Returns nothing in these cases:
/// - The fastest case is not certainly faster than the baseline.
/// - The manifest of its dataset has no time.
/// - Both cases load the same files, or different numbers of images.
std::optional<PreparingCost> preparing_cost(const GroupResult& group, const Pair& to_baseline,
                                            int fastest);

}  // namespace normbench
