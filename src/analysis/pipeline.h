/// What the rounds of a pipeline show about its lanes, and how fast the pipeline could be. A lane
/// is a set of stages that the same servers run for each item. A server works on one item at a
/// time.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

class KnownLimits;

struct LaneAnalysis {
  std::string name;
  std::int64_t servers = 1;
  std::optional<double> alone_ns;    // time of an item on one server while nothing else runs
  std::optional<double> busy;        // share of the time in which the lane's servers work
  std::optional<double> exposed_ns;  // time per item in which only this lane worked
};

/// What bounds a pipeline's time from below:
/// - Lane: the time of the slowest lane.
/// - Cores: the CPU time of all lanes, divided by the number of cores.
/// - Memory: the time to move the bytes of all lanes.
enum class BoundKind { Lane, Cores, Memory };

/// Why lanes cannot overlap fully: too few items are in flight, or a single thread does all of the
/// host's work.
enum class Held { InFlight, OneThread };

/// The smallest number of servers with which the slowest lane takes no longer than the next largest
/// bound, and the speed-up with that many servers.
struct MoreServers {
  std::int64_t servers = 1;
  std::int64_t in_flight = 1;        // as in the case, or more if some servers would be idle
  BoundKind next = BoundKind::Lane;  // kind of the next largest bound
  std::string lane = {};             // name of the lane that sets that bound, for BoundKind::Lane
  // The expected speed-up: the present time over the simulated time with more servers. The present
  // time is the simulated or the measured one, whichever is shorter. The true speed-up is smaller
  // if the operating system schedules worse than the simulation.
  Interval gain = {};
  Interval at_most;           // upper limit of the speed-up: the measured time over the next bound
  bool reaches_next = false;  // the simulated time is at most 10 % above the next bound
};

/// The largest lower bound of a pipeline's time (see analyse_pipeline()).
struct PipelineBound {
  BoundKind kind = BoundKind::Lane;
  std::string lane = {};  // name of the lane; only for BoundKind::Lane
  double ns = 0;          // the bound in ns per item
  Interval of_bound;      // the bound over the pipeline's time; rounds are paired
  // The speed-up if `lane` had no work: the pipeline's time over the largest of the other bounds.
  // Only for BoundKind::Lane and a pipeline with several lanes.
  std::optional<double> faster;
  double cores_used = 0;  // CPU time over wall time: median of the rounds
  std::optional<MoreServers> more = {};
  std::optional<Held> held = {};
  double held_ns = 0;  // shortest time per item that `held` allows
};

struct PipelineAnalysis {
  std::vector<LaneAnalysis> lanes;  // one for each lane of the case
  std::int64_t in_flight = 1;
  double p50_ns = 0, p99_ns = 0;  // percentiles of the latency of an item
  // Times to fill and to drain the pipeline: medians over the turns.
  double fill_ns = 0, drain_ns = 0;
  std::optional<PipelineBound> bound;  // nothing if a lane was not measured alone
  // The case's time over the time of the same case without its `load` stage.
  std::optional<Interval> headroom = {};
  std::int64_t cores = 0;  // number of cores that this process may use; 0: unknown
};

/// Analyses a measured case with items in flight. All times are per item. The bound is the largest
/// of three times:
/// - the time of each lane alone, divided by the number of its servers;
/// - the CPU time of all lanes alone, divided by the number of cores;
/// - the time of a memory stream, with one thread per core, that moves the bytes that all host
///   stages must move. Reads from the last-level cache are not counted.
PipelineAnalysis analyse_pipeline(const KnownLimits& limits, const CaseResult& result,
                                  const Results& results);

}  // namespace normbench
