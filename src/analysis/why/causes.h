/// Why a case takes its time. Causes are computed from counters, bytes, stage times and cases that
/// differ in one factor. Also the cost of page-locking and of preparing a dataset.
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

/// A case that does the same work with few page faults.
struct Unfaulting {
  std::string variant;
  bool is_peer = false;  // true: only the allocator differs; false: outputs are reused
  double time_ns = 0;
};

/// The cost of page faults in a case with fresh outputs.
struct FaultCost {
  double faults = 0;  // number of faults per iteration
  // Cost of one page fault in ns:
  // - with a twin: what the twin saves per fault, but at most the cost in the `first_touch` limit;
  // - without a twin: the cost in the `first_touch` limit;
  // - nothing for a peer with a twin, since the twin's allocator may use pages of another size.
  std::optional<double> cost_ns = {};
  bool at_most = false;  // `cost_ns` is an upper bound, since the twin or the limit is missing
  // Share of the case's time: what the twin saves or, without a twin, at most `cost_ns` for each
  // fault. In the second case the interval begins at 0.
  Interval share = {};
  std::optional<Unfaulting> twin = {};
};

/// Returns the cost of the case's page faults. It is found with a twin: for a normbench case, one
/// that differs only in that it reuses all outputs; for a peer's case, one whose command differs
/// only in the allocator. Returns nothing if the case has no faults, if its twin is not faster, or
/// if there is neither a twin nor a limit for its kind of memory.
std::optional<FaultCost> fault_cost(const GroupResult& group, int index, const Results& results);

/// One type for each cause. Some have the time per iteration of another case:
/// - `cached_ns`: of a case that caches its constants;
/// - `without_ns`: of a case that waits less often;
/// - `with_ns`: of a case that has another number of threads.
namespace why {
struct ConstantsEachCall {
  std::optional<double> cached_ns;  // nothing if the share was taken from the profile instead
};
struct LongImage {  // one image takes most of a batch on several threads
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
// PricedWaiting, PricedLaunches and TeamStart are estimates: a number of waits, launches or team
// starts per iteration, and `cost_ns`, the time of one, taken from the limits. `cost_ns` is reduced
// if all of them would take longer than the case.
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
struct FewerThreads {
  int more;
  double with_ns;
};
struct SmallerTeam {  // fewer threads are faster
  int fewer;
  double with_ns;
};
struct TeamStart {
  double teams;
  int threads;     // number of threads in each team
  double cost_ns;
};
struct FixedPart {  // time that does not depend on the bytes (fixed_cost_ns)
  double fixed_ns;
};
struct LimitOfOneThread {
  int more;
  double wider;  // memory rate of `more` threads over that of one
};
struct LinkLimit {
  std::int64_t bytes;
  double of_limit;
  bool only_bytes;  // nothing measured transfers as many bytes faster
};
struct LinkTime {};
struct MemoryLimit {
  std::int64_t bytes;
  bool only_bytes;  // nothing measured moves as many bytes faster
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
struct StageApart {  // the stage in which a slow case differs most from the fastest
  std::string label;
  double own_ns, its_ns;  // per iteration; `its_ns` is 0 if the fastest case has no such stage
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

/// Returns the cause with the largest share of the case's time; an empty one if nothing explains
/// it. For a pipeline with a known bound, the cause is that bound.
Cause explain(const GroupResult& group, const CaseAnalysis& analysis, int index,
              const MeasuredDocument& document);

/// Returns explain() of a slow case. If that names a stage or a resource, and the case and the
/// fastest one differ more in another stage, the cause is the stage in which they differ most.
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
/// Finds constants that are prepared on every call. They show in a case that caches them and is
/// otherwise the same, or in the profile's ranges if there is no such case.
Cause constants_cause(const Subject& subject);
/// Finds another number of threads that saves at least `least_share` of the time. A case of one
/// thread is compared with a case that differs only in having more threads. If there is none, its
/// limit of one thread is compared with a stream of more threads. A case of several threads is
/// compared with cases that differ only in having fewer.
Cause threads_cause(const Subject& subject, double least_share);
/// Finds the start of the case's teams of threads, if it takes at least half of the time.
Cause team_start_cause(const Subject& subject);
/// Finds the part of the time that does not depend on the bytes (fixed_cost_ns), if it is at least
/// half of the time.
Cause fixed_part_cause(const Subject& subject);
/// Finds transfers that take most of the time or are at their limit.
Cause link_cause(const Subject& subject);
/// Finds time in which the host waits for the GPU: by a case that waits less often, or else by the
/// measured cost of a wait.
Cause sync_cause(const Subject& subject);
/// Finds time that the host takes to submit work to the GPU: by the time of the submitting calls,
/// or else by the time of empty launches.
Cause launch_cause(const Subject& subject);

/// Returns the time per iteration in which the GPU works, in ns:
/// - the time between the CUDA events around the stages, if it is at least 20 us per stage;
/// - else the time that CUPTI measured in the profile pass;
/// - without CUPTI, the time between the events less the time between two events with no work.
/// Returns nothing if none of these is known.
std::optional<double> busy_ns(const Subject& subject);

/// Returns true if nothing measured moves as many bytes faster by more than the precision: no other
/// case, and no stream with more threads.
bool only_bytes_are_slow(const Subject& subject);

/// Returns true if the bytes may decide the case's time. Returns false if a fixed cost takes most
/// of it, or if the start of the case's teams may do so: the case is very short and that start was
/// not measured.
bool bytes_decide(const Subject& subject);

/// Returns the fastest measured case that differs from the subject only in the factor `kind`, with
/// a value that `wanted` accepts. Returns nothing if there is none.
std::optional<Twin> twin(const Subject& subject, Factor::Kind kind,
                         bool (*wanted)(const FactorValue& own, const FactorValue& its));

/// What it costs to page-lock a buffer once, and what that saves in every batch afterwards.
struct PinningCost {
  bool registers = false;  // true: memory is registered in place; false: copied into pinned memory
  double once_ns = 0;      // time to allocate and copy, or to register and unregister
  Interval saved_ns{};     // per batch, with page-locked instead of pageable memory
};

/// Returns the cost of page-locking, taken from the cheapest case that locks memory in every batch.
/// The saving is the largest between two cases that differ only in pageable or page-locked memory.
/// Without such cases, a case that locks memory in every batch, less the time of the locking, is
/// compared with the same case with pageable memory. Returns nothing if neither comparison is
/// possible.
std::optional<PinningCost> pinning_cost(const GroupResult& group, const Results& results);

/// What it took to prepare the dataset of the fastest case, and what this case saves against the
/// baseline in each pass over all images.
struct PreparingCost {
  int index = 0;  // index of the fastest case
  // Times to prepare both datasets, from their manifests; 0 for a baseline without a manifest.
  double once_seconds = 0, baseline_seconds = 0;
  double saved_seconds = 0;  // per pass over all images, against the baseline
};

/// Returns the cost of preparing for `to_baseline`, the pair of the fastest case and the baseline.
/// Returns nothing if the manifest has no time, or if both load the same files or different numbers
/// of images. Also returns nothing if the fastest case does not certainly beat the baseline.
std::optional<PreparingCost> preparing_cost(const GroupResult& group, const Pair& to_baseline,
                                            int fastest);

}  // namespace normbench
