/// What the rounds of a pipeline show of its lanes, and how fast it could be.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

struct LaneAnalysis {
  std::string name;
  std::int64_t servers = 1;
  std::optional<double> alone_ns;    // an item on one server with nothing else running
  std::optional<double> busy;        // the working share of its servers' time
  std::optional<double> exposed_ns;  // an item: while only this lane worked
};

/// What a pipeline cannot be faster than: its slowest lane, the cores that do the work of all
/// lanes, the memory that their bytes go through.
enum class BoundKind { Lane, Cores, Memory };

/// What keeps lanes from overlapping: too few items in flight for them, or a single thread that
/// does all of the host's work.
enum class Held { InFlight, OneThread };

/// So many servers of the bounding lane that it drops below the next bound.
struct MoreServers {
  std::int64_t servers = 1;
  std::int64_t in_flight = 1;  // the case's, or more where servers would lack items
  BoundKind next = BoundKind::Lane;
  std::string lane = {};  // for Lane
  // The measured time, as far as the lanes explain it, over a simulated one. The simulation has the
  // lanes as they were alone, with filling, draining, and items of unequal length. An operating
  // system that schedules less well gains less.
  Interval gain = {};
  Interval at_most;           // its time over the next bound
  bool reaches_next = false;  // the simulated time is near the next bound
};

struct PipelineBound {
  BoundKind kind = BoundKind::Lane;
  std::string lane = {};         // for Lane
  double ns = 0;                 // an item
  Interval of_bound;             // the bound over the pipeline's time, paired by round
  std::optional<double> faster;  // the pipeline's time over the bound without the lane's work
  double cores_used = 0;         // on average
  std::optional<MoreServers> more = {};
  std::optional<Held> held = {};
  double held_ns = 0;  // an item, as the lanes alone then add up
};

struct PipelineAnalysis {
  std::vector<LaneAnalysis> lanes;  // as in the case
  std::int64_t in_flight = 1;
  double p50_ns = 0, p99_ns = 0;          // latencies of items, by nearest rank
  double fill_ns = 0, drain_ns = 0;       // medians of the turns
  std::optional<PipelineBound> bound;     // nothing where a lane was not measured alone
  std::optional<Interval> headroom = {};  // its time over the time without the loading
  std::int64_t cores = 0;                 // usable by this process; 0: unknown
};

/// Analyses a measured case with items in flight. Times are per item. The bound is the largest of:
/// each lane alone over its servers; the processor time of all lanes alone over the cores; a stream
/// by as many threads as cores of all bytes that host stages must move, without reads from the last
/// cache.
PipelineAnalysis analyse_pipeline(const GroupResult& group, const CaseResult& result,
                                  const Results& results);

}  // namespace normbench
