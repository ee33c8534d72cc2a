/// Why a case takes its time: computed from counters, bytes, stage times and cases that differ in
/// one thing. And after how many reuses page-locking a buffer pays.
#pragma once

#include "analysis/limits.h"
#include "analysis/why/factors.h"
#include "analysis/why/parts.h"

namespace normbench {

struct Pair;

/// A measured case that differs in only one thing that was asked for.
struct Twin {
  const CaseResult* result = nullptr;
  double time_ns = 0;
  bool faster = false;  // than the other case, beyond doubt and margin
  Interval saved;       // the part of the other's time that it saves
};

/// Compares `other` with `own`, over the rounds that both have.
Twin compared(const GroupResult& group, const CaseResult& own, const CaseResult& other,
              const Results& results);

/// The case that does the same without the faults.
struct Unfaulting {
  std::string variant;
  bool is_peer = false;  // then only the allocator differs, else outputs are reused
  double time_ns = 0;
};

/// The cost of page faults in a case with fresh outputs.
struct FaultCost {
  double faults = 0;  // per iteration
  // The cost of one fault: by the twin, but no more than a touched page costs in the `first_touch`
  // limit. Nothing for a peer with a twin: its allocator may ask for pages of another size.
  std::optional<double> cost_ns = {};
  bool at_most = false;  // the cost may be less: the twin or the limit is missing
  // The share of the case's time: what the twin saves; else from 0 to what the cost allows.
  Interval share = {};
  std::optional<Unfaulting> twin = {};
};

/// The twin of a case of normbench reuses all outputs; a peer's has a command that differs only in
/// the allocator. Nothing without faults, and where there is neither a twin that is faster beyond
/// doubt nor a limit of the same kind of memory.
std::optional<FaultCost> fault_cost(const GroupResult& group, int index, const Results& results);

/// The causes, one type each. `cached_ns`, `without_ns` and `with_ns` are times of the other case:
/// the one that caches its constants, waits less, or has more or fewer threads.
namespace why {
struct ConstantsEachCall {
  std::optional<double> cached_ns;  // nothing: taken from the profile's ranges
};
struct LongImage {  // it takes most of a batch on several threads
  std::string name;
  double image_ns, batch_ns;  // as profiled
};
struct Decoding {
  std::optional<LongImage> bounded_by;
};
struct Reading {};
struct Waiting {  // for the GPU
  Wait after;
  double without_ns;
};
// Prices are the limits', but all together at most the case's whole time.
struct PricedWaiting {  // priced by empty launches
  double waits, cost_ns;
};
struct Submitting {  // to a GPU that idles meanwhile
  double busy;       // the part of the time that the GPU works
};
struct PricedLaunches {  // priced by empty launches
  std::int64_t count;
  double cost_ns;
};
struct LaunchLimit {};
struct FewerThreads {
  int more;
  double with_ns;
};
struct SmallerTeam {  // a faster one
  int fewer;
  double with_ns;
};
struct TeamStart {  // priced by empty teams
  double teams;
  int threads;     // of each team
  double cost_ns;  // of one team
};
struct FixedPart {  // of the time, by the fit along an axis
  double fixed_ns;
};
struct LimitOfOneThread {
  int more;
  double wider;  // rate of that many threads over the rate of one
};
struct LinkLimit {
  std::int64_t bytes;
  double of_limit;
  bool only_bytes;  // nothing measured carries as many bytes faster
};
struct LinkTime {};
struct MemoryLimit {
  std::int64_t bytes;
  bool only_bytes;  // nothing measured moves as many bytes faster
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
  double share = 0;     // share of the case's time; 0: not known
  bool proven = false;  // a case that differs only in this was measured

  explicit operator bool() const { return found.index() != 0; }
};

/// The largest measured cause; an empty one when nothing explains the time.
Cause explain(const GroupResult& group, const CaseAnalysis& analysis, int index,
              const Results& results);

/// The limit that a cause says the case has reached.
std::optional<LimitKind> limit_of(const Cause& cause);

/// The case whose time is to be explained, and its time.
struct Subject {
  const GroupResult& group;
  const CaseAnalysis& analysis;
  int index;
  const Results& results;

  const CaseResult& result() const { return group.cases[index]; }
  double time_ns() const { return median_ns(result(), results); }
};

// The single causes that a case's time may have. Each is empty when the group's measurements do not
// show it.
/// Preparing constants on every call: the case that caches them and does all else alike, else the
/// profile's ranges.
Cause constants_cause(const Subject& subject);
/// Another number of threads that saves at least this share of the time. For one thread it is the
/// case with more and otherwise alike, or a stream with more threads that is faster than the stream
/// at the case's speed. For several it is the case with fewer threads that is faster.
Cause threads_cause(const Subject& subject, double least_share);
Cause team_start_cause(const Subject& subject);    // starting its teams takes most of the time
Cause fixed_part_cause(const Subject& subject);    // so does what its fit has beside the bytes
Cause link_cause(const Subject& subject);    // its transfers take most of the time, or their limit
Cause sync_cause(const Subject& subject);    // the case that waits less, else the sync limit
Cause launch_cause(const Subject& subject);  // time in the calls, else the launch limit

/// The GPU's working time in an iteration: between the marks of its stages where that is long; else
/// as CUPTI saw it, or less the time that marks with nothing between them count. Nothing where
/// neither is known: then marks would count some microseconds too much, and no launches are blamed.
std::optional<double> busy_ns(const Subject& subject);

/// False where a measured case, or a stream with more threads, moves as many bytes in less time, by
/// more than the precision that was asked for.
bool only_bytes_are_slow(const Subject& subject);

/// False where a fixed cost takes most of the case's time, or may: the case is that short, and
/// nothing measured its team's cost. Then memory explains nothing.
bool bytes_decide(const Subject& subject);

/// The fastest measured case that differs from the subject only in this factor, if `wanted` holds
/// for the values of the two; nothing when there is none.
std::optional<Twin> twin(const Subject& subject, Factor::Kind kind,
                         bool (*wanted)(const FactorValue& own, const FactorValue& its));

/// The single cost of page-locking a buffer, and what it saves on every batch afterwards.
struct PinningCost {
  bool registers = false;  // registering, else pinning
  double once_ns = 0;      // the stage's time: allocating and copying, or registering and undoing
  Interval saved_ns{};     // in a batch, with page-locked instead of pageable memory
};

/// Takes the cost from a case that pins or registers on every batch, and the saving from two cases
/// that do the same from pageable and from page-locked memory; nothing where one was not measured.
std::optional<PinningCost> pinning_cost(const GroupResult& group, const Results& results);

/// The time of making the fastest case's dataset, and the time that it saves against the
/// baseline's: after so many passes over all images it has paid.
struct PreparingCost {
  int index = 0;  // the fastest case's
  // From the manifests, on the machine that made them; the baseline's is 0 where it has none.
  double once_seconds = 0, baseline_seconds = 0;
  double saved_seconds = 0;  // in a pass over all images, against the baseline
};

/// `to_baseline` is the pair of the fastest case and the baseline. Nothing where the manifest does
/// not say, both load the same or not as many images, or the baseline is not beaten beyond doubt.
std::optional<PreparingCost> preparing_cost(const GroupResult& group, const Pair& to_baseline,
                                            int fastest);

}  // namespace normbench
