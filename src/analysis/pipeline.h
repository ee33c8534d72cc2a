/// What the rounds of a pipeline say of its lanes, and what it could reach at most.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

struct LaneAnalysis {
  std::string name;
  std::int64_t servers = 1;
  std::optional<double> alone_ns;    // an item on one server, with nothing beside it
  std::optional<double> busy;        // the share of its servers' time that they worked
  std::optional<double> exposed_ns;  // an item: while it worked and no other lane did
};

/// Nothing makes a pipeline faster than its slowest lane; than the cores that do the work of all
/// lanes; than the memory that their bytes go through.
enum class BoundKind { Lane, Cores, Memory };

/// What the config keeps from overlapping: too few items in flight for the lanes; one thread that
/// does the host's work of all of them.
enum class Held { InFlight, OneThread };

/// As many servers of the lane that bounds as bring it below the next bound.
struct MoreServers {
  std::int64_t servers = 1;
  std::int64_t in_flight = 1;  // the case's, or more where its servers would lack items
  BoundKind next = BoundKind::Lane;
  std::string lane = {};  // where that is one
  // By a simulation of the lanes as they were alone, with filling, draining, and items of unlike
  // length: the pipeline's time, as far as they explain it, over its time then. An operating system
  // that schedules less well gives less.
  Interval gain = {};
  Interval at_most;           // its time over the next bound
  bool reaches_next = false;  // the simulated time is near that
};

struct PipelineBound {
  BoundKind kind = BoundKind::Lane;
  std::string lane = {};         // where that is one
  double ns = 0;                 // an item
  Interval of_bound;             // that over the pipeline's time, paired by round
  std::optional<double> faster;  // the pipeline's time over the bound without the lane's work
  double cores_used = 0;         // on average
  std::optional<MoreServers> more = {};
  std::optional<Held> held = {};
  double held_ns = 0;  // an item, as the lanes alone add up then
};

struct PipelineAnalysis {
  std::vector<LaneAnalysis> lanes;  // as in the case
  std::int64_t in_flight = 1;
  double p50_ns = 0, p99_ns = 0;          // of an item's latency, by nearest rank
  double fill_ns = 0, drain_ns = 0;       // medians of the turns
  std::optional<PipelineBound> bound;     // nothing where a lane was not measured alone
  std::optional<Interval> headroom = {};  // its time over that of all but the loading
  std::int64_t cores = 0;                 // that this process may use; 0: unknown
};

/// Of a measured case with items in flight. Times are per item. The bound is the largest of: each
/// lane alone over its servers; the processor time of all lanes alone over the cores; a stream of
/// all bytes that its stages on the host must move, but for what they read from the last cache, by
/// as many threads as there are cores.
PipelineAnalysis analyse_pipeline(const GroupResult& group, const CaseResult& result,
                                  const Results& results);

}  // namespace normbench
