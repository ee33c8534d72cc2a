/// Why a case takes as long as it does, computed from counters, bytes, stage times and cases that
/// differ in one thing; and after how many reuses page-locking a buffer has paid for itself.
#pragma once

#include "analysis/limits.h"
#include "analysis/why/factors.h"
#include "analysis/why/parts.h"

namespace normbench {

struct Pair;

/// A measured case that differs in one thing that was asked for.
struct Twin {
  const CaseResult* result = nullptr;
  double time_ns = 0;
  bool faster = false;  // than the other, beyond doubt and margin
  Interval saved;       // the part of the other's time that it does without
};

/// How `other` does against `own`, over the rounds that both have.
Twin compared(const GroupResult& group, const CaseResult& own, const CaseResult& other,
              const Results& results);

/// The case that does the same without the faults.
struct Unfaulting {
  std::string variant;
  bool is_peer = false;  // then another allocator is all that differs, else outputs are reused
  double time_ns = 0;
};

/// What page faults cost a case with fresh outputs.
struct FaultCost {
  double faults = 0;  // per iteration
  // Of one fault: by the twin, and no more than a touched page costs in the `first_touch` limit.
  // Nothing for a peer that has a twin: its allocator may ask for pages of another size.
  std::optional<double> cost_ns = {};
  bool at_most = false;  // the cost may be less: the twin or the limit is missing
  // Of the case's time: what the twin does without; else from 0 to what the cost allows.
  Interval share = {};
  std::optional<Unfaulting> twin = {};
};

/// Of a case of normbench's the twin is the one with all outputs reused, of a peer's the one whose
/// command differs in the allocator alone. Nothing when there is neither a twin that is faster
/// beyond doubt nor a limit of the same kind of memory, or the case has no faults.
std::optional<FaultCost> fault_cost(const GroupResult& group, int index, const Results& results);

/// What was found, one type each. `cached_ns`, `without_ns` and `with_ns` are the times of the
/// other case: the one that caches its constants, waits less, has more threads or fewer.
namespace why {
struct ConstantsEachCall {
  std::optional<double> cached_ns;  // nothing: from the profile's ranges
};
struct LongImage {  // that alone takes most of a batch on several threads
  std::string name;
  double image_ns, batch_ns;  // profiled
};
struct Decoding {
  std::optional<LongImage> bounded_by;
};
struct Reading {};
struct Waiting {  // for the GPU
  Wait after;
  double without_ns;
};
// Prices are those of the limits, or less where all of the time allows no more.
struct PricedWaiting {  // by empty launches
  double waits, cost_ns;
};
struct Submitting {  // to a GPU that is idle meanwhile
  double busy;       // the part of the time that the GPU works
};
struct PricedLaunches {  // by empty ones
  std::int64_t count;
  double cost_ns;
};
struct LaunchLimit {};
struct FewerThreads {
  int more;
  double with_ns;
};
struct SmallerTeam {  // that is faster
  int fewer;
  double with_ns;
};
struct TeamStart {  // priced by empty ones
  double teams;
  int threads;     // of each
  double cost_ns;  // of one
};
struct FixedPart {  // of the time, by the fit along an axis
  double fixed_ns;
};
struct LimitOfOneThread {
  int more;
  double wider;  // the rate of that many threads over that of one
};
struct LinkLimit {
  std::int64_t bytes;
  double of_limit;
  bool only_bytes;  // nothing that was measured carries as many faster
};
struct LinkTime {};
struct MemoryLimit {
  std::int64_t bytes;
  bool only_bytes;  // nothing that was measured moves as many faster
};
struct ExtraPasses {
  double moved, fewest;  // bytes
};
struct Floors {  // the limits of the stages, which add up to nearly all of the time
  LimitKind kind;
  std::string binding;
};
struct OneStage {
  std::string label;
};
struct InFlight {             // what bounds a pipeline
  PipelineAnalysis pipeline;  // with a bound
};
}  // namespace why

struct Cause {
  std::variant<std::monostate, FaultCost, why::ConstantsEachCall, why::Decoding, why::Reading,
               why::Waiting, why::PricedWaiting, why::Submitting, why::PricedLaunches,
               why::LaunchLimit, why::FewerThreads, why::SmallerTeam, why::TeamStart,
               why::FixedPart, why::LimitOfOneThread, why::LinkLimit, why::LinkTime,
               why::MemoryLimit, why::ExtraPasses, why::Floors, Gain, why::OneStage, why::InFlight>
      found;
  double share = 0;     // of the case's time; 0: not known
  bool proven = false;  // a case that differs in this alone was measured

  explicit operator bool() const { return found.index() != 0; }
};

/// The largest cause that was measured; an empty one when nothing explains the time.
Cause explain(const GroupResult& group, const CaseAnalysis& analysis, int index,
              const Results& results);

/// The limit that the cause says the case runs into.
std::optional<LimitKind> limit_of(const Cause& cause);

/// The case whose time is to be explained, and what that takes.
struct Subject {
  const GroupResult& group;
  const CaseAnalysis& analysis;
  int index;
  const Results& results;

  const CaseResult& result() const { return group.cases[index]; }
  double time_ns() const { return median_ns(result(), results); }
};

/// The single causes a case's time may have. Each is empty when the group's measurements do not
/// show it.
/// Preparing constants on every call: the case that caches them and does all else alike, else the
/// profile's ranges.
Cause constants_cause(const Subject& subject);
/// Another number of threads that saves at least this share of the time. Of one thread: the case
/// with more and all else alike, or a stream with more threads that is faster than the one whose
/// speed the case has. Else the case with fewer threads that is faster.
Cause threads_cause(const Subject& subject, double least_share);
Cause team_start_cause(const Subject& subject);    // starting its teams takes most of the time
Cause fixed_part_cause(const Subject& subject);    // so does what its fit has beside the bytes
Cause link_cause(const Subject& subject);    // its transfers take most of the time, or their limit
Cause sync_cause(const Subject& subject);    // the case that waits less, else the sync limit
Cause launch_cause(const Subject& subject);  // time in the calls, else the launch limit

/// The time of an iteration in which the GPU works: between the marks of its stages where that is
/// long; else as CUPTI saw it, or less what marks with nothing between them count. Nothing where
/// neither is known: marks count some microseconds too much. No launches are blamed then.
std::optional<double> busy_ns(const Subject& subject);

/// False where a measured case, or a stream of more threads, moves as many bytes in less time: by
/// more than the precision that was asked for.
bool only_bytes_are_slow(const Subject& subject);

/// False where a fixed cost takes most of the case's time, or may do so: it is that short, and
/// nothing measured what its team costs. Then memory explains nothing.
bool bytes_decide(const Subject& subject);

/// The fastest measured case that differs from the subject in this factor alone, and for whose
/// value of it `wanted` holds of the subject's and its own; nothing when there is none.
std::optional<Twin> twin(const Subject& subject, Factor::Kind kind,
                         bool (*wanted)(const FactorValue& own, const FactorValue& its));

/// What page-locking a buffer costs once, and what it saves on every batch after.
struct PinningCost {
  bool registers = false;  // registering, else pinning
  double once_ns = 0;   // the stage's own time: allocating and copying, or registering and undoing
  Interval saved_ns{};  // a batch, from pageable against page-locked memory
};

/// From a case that pins or registers on every batch, and from a pair of cases that do the same
/// from pageable and from page-locked memory; nothing where one of them was not measured.
std::optional<PinningCost> pinning_cost(const GroupResult& group, const Results& results);

/// What making the fastest case's dataset took, and what that saves where the baseline's is there:
/// after so many passes over all of its images it has paid for itself.
struct PreparingCost {
  int index = 0;  // of the fastest case
  // By their manifests, on the machine that made them; the baseline's is 0 where it has none.
  double once_seconds = 0, baseline_seconds = 0;
  double saved_seconds = 0;  // of a pass over all images, against the baseline
};

/// `to_baseline`: of the fastest case and the baseline. Nothing where the dataset's manifest does
/// not tell, both load the same or not as many images, or the baseline is not beaten beyond doubt.
std::optional<PreparingCost> preparing_cost(const GroupResult& group, const Pair& to_baseline,
                                            int fastest);

}  // namespace normbench
