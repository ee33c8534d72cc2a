#include "analysis/pipeline.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>

#include "analysis/known_limits.h"
#include "analysis/limits.h"
#include "analysis/simulate_pipeline.h"
#include "ops/stream.h"

namespace normbench {
namespace {

// PipelineBound::held is set if `held_ns` is at least this multiple of the bound.
constexpr double kHeld = 1.02;
// MoreServers::reaches_next is set if the simulated time with more servers is below this multiple
// of the next bound.
constexpr double kReached = 1.1;
// More items in flight are used if they reduce the simulated time to less than this share.
constexpr double kWorthItems = 0.98;

using Series = std::vector<double>;  // [round]: ns per item

/// A lower bound of a pipeline's time per item, for each round.
struct Term {
  BoundKind kind;
  std::size_t lane;  // index of the lane; only for BoundKind::Lane
  Series ns;

  double at() const { return median(ns); }
};

Series cpu_ns(const CaseResult& result) {
  Series series;
  for (const Round& round : result.rounds)
    series.push_back(static_cast<double>(round.cpu_ns) / static_cast<double>(result.iterations));
  return series;
}

Series scaled(Series series, double by) {
  for (double& value : series) value *= by;
  return series;
}

/// Returns the sum of the series, cut to the length of the shortest one.
Series sum(const std::vector<Series>& all) {
  Series total = all.front();
  for (const Series& one : all) {
    total.resize(std::min(total.size(), one.size()));
    for (std::size_t i = 0; &one != &all.front() && i < total.size(); ++i) total[i] += one[i];
  }
  return total;
}

bool works_on_host(const CaseResult& result, const LaneResult& lane) {
  return std::ranges::any_of(lane.stages, [&](std::int64_t stage) {
    return result.stages[static_cast<std::size_t>(stage)].place == Place::Cpu;
  });
}

/// Returns the fastest memory stream on all cores that reads and writes as many bytes as all host
/// stages must. Returns null if there is none. Stages that load files are not counted, since their
/// bytes are unknown. Stages that only read or only write are not counted either.
const CaseResult* stream_of_all(const KnownLimits& limits, const CaseResult& result,
                                std::int64_t cores) {
  StreamMix all;
  for (const StageResult& stage : result.stages) {
    const bool both_ways = stage.min_read_bytes > 0 && stage.min_bytes > stage.min_read_bytes;
    const bool is_loaded = roles_of(stage).files == FileUse::Reads;
    if (stage.place != Place::Cpu || is_loaded || !both_ways) continue;
    if (!stage.resident) all.read += stage.min_read_bytes;
    all.written += stage.min_bytes - stage.min_read_bytes;
  }
  const KnownLimit* best = nullptr;
  for (const KnownLimit& limit : limits.alike_streams(limit_mix(all)))
    if (!uses_gpu(*limit.result) && limit.result->threads == cores &&
        (best == nullptr || limit.median_ns < best->median_ns))
      best = &limit;
  return best == nullptr ? nullptr : best->result;
}

/// All lower bounds of a pipeline's time. They are known only if each lane was measured alone.
class Terms {
 public:
  Terms(const KnownLimits& limits, const CaseResult& result, std::int64_t cores,
        const Results& results)
      : lanes_(result.pipeline->lanes), cores_(cores) {
    for (const LaneResult& lane : lanes_) {
      const CaseResult* const alone = limits.named(lane.alone);
      if (alone == nullptr) return;
      results_.push_back(alone);
      alone_.push_back(all_times_ns(*alone, results));
      cpu_.push_back(cpu_ns(*alone));
    }
    if (const CaseResult* stream = stream_of_all(limits, result, cores))
      stream_ = all_times_ns(*stream, results);
  }

  bool known() const { return alone_.size() == lanes_.size(); }
  std::int64_t cores() const { return cores_; }
  const Series& alone(std::size_t lane) const { return alone_[lane]; }
  const Series& cpu(std::size_t lane) const { return cpu_[lane]; }
  const CaseResult& result(std::size_t lane) const { return *results_[lane]; }
  Series all_cpu() const { return sum(cpu_); }

  /// Returns the largest term, or nothing if there is none. If `but` is the index of a lane, this
  /// lane counts as having no work.
  std::optional<Term> largest(std::optional<std::size_t> but = {}) const {
    return largest_of(terms(but, but));
  }
  /// Returns the largest term that does not depend on the number of servers of `lane`.
  std::optional<Term> largest_beside(std::size_t lane) const {
    return largest_of(terms(lane, std::nullopt));
  }

 private:
  std::vector<Term> terms(std::optional<std::size_t> without_lane,
                          std::optional<std::size_t> without_work) const {
    std::vector<Term> list;
    std::vector<Series> work;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (i != without_lane)
        list.push_back(
            {BoundKind::Lane, i, scaled(alone_[i], 1 / static_cast<double>(lanes_[i].servers))});
      if (i != without_work) work.push_back(cpu_[i]);
    }
    if (cores_ > 0 && !work.empty())
      list.push_back({BoundKind::Cores, 0, scaled(sum(work), 1 / static_cast<double>(cores_))});
    if (!stream_.empty()) list.push_back({BoundKind::Memory, 0, stream_});
    return list;
  }
  static std::optional<Term> largest_of(std::vector<Term> list) {
    if (list.empty()) return std::nullopt;
    return *std::ranges::max_element(list, {}, &Term::at);
  }

  const std::vector<LaneResult>& lanes_;
  std::int64_t cores_;
  std::vector<const CaseResult*> results_;  // the limit that runs each lane alone
  std::vector<Series> alone_, cpu_;
  Series stream_;
};

std::string lane_name(const CaseResult& result, const Term& term) {
  return term.kind == BoundKind::Lane ? result.pipeline->lanes[term.lane].name : "";
}

/// Returns the lanes that an item visits, in order. Consecutive stages in one lane are one visit.
std::vector<std::size_t> visited_lanes(const CaseResult& result) {
  std::vector<std::size_t> lane_of(result.stages.size()), visits;
  const auto& lanes = result.pipeline->lanes;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    for (const std::int64_t stage : lanes[lane].stages)
      lane_of[static_cast<std::size_t>(stage)] = lane;
  std::ranges::unique_copy(lane_of, std::back_inserter(visits));
  return visits;
}

bool works_on_host_alone(const CaseResult& result, const LaneResult& lane) {
  return std::ranges::all_of(lane.stages, [&](std::int64_t stage) {
    return result.stages[static_cast<std::size_t>(stage)].place == Place::Cpu;
  });
}

/// Returns the time of an item in a lane that runs alone, in ns. If that run has latencies, the
/// time of its round is divided among the items in proportion to their latencies. Otherwise each
/// item takes `mean_ns`.
double item_ns(const CaseResult& alone, double mean_ns, std::size_t round, std::size_t item) {
  const auto items = static_cast<std::size_t>(alone.iterations);
  const bool has_latencies = alone.pipeline && alone.pipeline->latency_ns.size() / items > round;
  if (!has_latencies) return mean_ns;
  const std::span latencies = std::span(alone.pipeline->latency_ns).subspan(round * items, items);
  const double sum_ns = std::reduce(latencies.begin(), latencies.end(), 0.0);
  const auto ns = static_cast<double>(latencies[item % items]);
  return sum_ns > 0 ? mean_ns * ns * static_cast<double>(items) / sum_ns : mean_ns;
}

/// Returns a model of the pipeline in one round, based on the times that each lane took when it ran
/// alone. Work on the host takes `slowed` times as long as it took alone.
PipelineModel model_of(const CaseResult& result, const Terms& terms, double slowed,
                       std::size_t round) {
  PipelineModel model{.lanes = {},
                      .visits = visited_lanes(result),
                      .work_ns = {},
                      .in_flight = result.pipeline->in_flight,
                      .cores = static_cast<double>(terms.cores())};
  std::vector<bool> on_host;
  for (std::size_t i = 0; i < result.pipeline->lanes.size(); ++i) {
    const LaneResult& lane = result.pipeline->lanes[i];
    on_host.push_back(works_on_host_alone(result, lane));
    model.lanes.push_back({.servers = lane.servers, .cores = 0});
    if (on_host[i] && terms.alone(i)[round] > 0)
      model.lanes[i].cores = terms.cpu(i)[round] / terms.alone(i)[round];
  }
  // More items are not needed: with this many, filling and draining the pipeline take a negligible
  // share of the time.
  constexpr std::int64_t most_items = 2000;
  for (std::int64_t item = 0; item < std::min(result.iterations, most_items); ++item) {
    auto& work_ns = model.work_ns.emplace_back();
    for (const std::size_t lane : model.visits) {
      const double ns = terms.alone(lane)[round];
      const auto visits = static_cast<double>(std::ranges::count(model.visits, lane));
      work_ns.push_back(
          on_host[lane] ? slowed / visits *
                              item_ns(terms.result(lane), ns, round, static_cast<std::size_t>(item))
                        : ns / visits);
    }
  }
  return model;
}

/// Returns, for each round, the simulated or the measured time per item, whichever is shorter. If
/// the measured time is longer than the simulated one, more servers would not remove this
/// difference, so it must not count as a gain.
Series explained(const CaseResult& result, const Terms& terms, const Series& times) {
  Series series;
  for (std::size_t r = 0; r < std::min(times.size(), terms.all_cpu().size()); ++r) {
    const PipelineModel model = model_of(result, terms, 1, r);
    const auto items = static_cast<double>(model.work_ns.size());
    series.push_back(std::min(simulated_ns(model) / items, times[r]));
  }
  return series;
}

/// Returns, for each round, the simulated time per item if `lane` has `servers` servers and
/// `in_flight` items are in flight. The time is at least `bound`. If the CPU time of the case
/// exceeds the sum of the CPU times that its lanes took alone, all host work is slowed by the ratio
/// of the two.
Series with_servers(const CaseResult& result, const Terms& terms, std::size_t lane,
                    std::int64_t servers, std::int64_t in_flight, const Series& bound) {
  const Series alone_cpu = terms.all_cpu(), own_cpu = cpu_ns(result);
  Series times;
  for (std::size_t r = 0; r < std::min({bound.size(), alone_cpu.size(), own_cpu.size()}); ++r) {
    const double slowed = alone_cpu[r] > 0 ? std::max(1.0, own_cpu[r] / alone_cpu[r]) : 1;
    PipelineModel model = model_of(result, terms, slowed, r);
    model.lanes[lane].servers = servers;
    model.in_flight = in_flight;
    const auto items = static_cast<double>(model.work_ns.size());
    times.push_back(std::max(simulated_ns(model) / items, bound[r]));
  }
  return times;
}

/// Returns the number of servers with which the lane of `bound` takes no longer than the next
/// largest bound. Returns nothing if the lane already has that many servers, if it uses a device,
/// or if one thread submits all work.
std::optional<MoreServers> more_servers(const CaseResult& result, const Terms& terms,
                                        const Term& bound, const Series& times) {
  const PipelineResult& pipeline = *result.pipeline;
  const auto next = terms.largest_beside(bound.lane);
  if (!next || next->at() <= 0 || pipeline.submit != Submit::Lane ||
      !works_on_host_alone(result, pipeline.lanes[bound.lane]))
    return std::nullopt;
  const double alone_ns = median(terms.alone(bound.lane));
  const auto servers = static_cast<std::int64_t>(std::ceil(alone_ns / next->at()));
  if (servers <= pipeline.lanes[bound.lane].servers) return std::nullopt;
  MoreServers more{.servers = servers,
                   .in_flight = pipeline.in_flight,
                   .next = next->kind,
                   .lane = lane_name(result, *next),
                   .at_most = paired_ratio(times, next->ns, decision_level)};
  Series then = with_servers(result, terms, bound.lane, more.servers, pipeline.in_flight, next->ns);
  // If there are more servers than items in flight, some servers are idle. Then the pipeline is
  // also simulated with one item for each server. That number of items is used if it saves more
  // than 2 %.
  std::int64_t all = more.servers - pipeline.lanes[bound.lane].servers;
  for (const LaneResult& lane : pipeline.lanes) all += lane.servers;
  if (all > pipeline.in_flight) {
    Series wider = with_servers(result, terms, bound.lane, more.servers, all, next->ns);
    if (median(wider) < kWorthItems * median(then)) {
      then = std::move(wider);
      more.in_flight = all;
    }
  }
  more.gain = paired_ratio(explained(result, terms, times), then, decision_level);
  more.reaches_next = median(then) < kReached * next->at();
  return more;
}

double cores_used(const CaseResult& result) {
  std::vector<double> used;
  for (const Round& round : result.rounds)
    if (round.wall_ns > 0)
      used.push_back(static_cast<double>(round.cpu_ns) / static_cast<double>(round.wall_ns));
  return median(std::move(used));
}

/// Sets `held_ns` to the shortest time per item that the number of items in flight, or a single
/// host thread, allows. Sets `held` only if this time is at least 2 % above the bound.
void add_held(const CaseResult& result, const Terms& terms, PipelineBound& bound) {
  const PipelineResult& pipeline = *result.pipeline;
  double all_ns = 0, host_ns = 0;
  for (std::size_t i = 0; i < pipeline.lanes.size(); ++i) {
    const double alone_ns = median(terms.alone(i));
    all_ns += alone_ns;
    if (works_on_host(result, pipeline.lanes[i])) host_ns += alone_ns;
  }
  bound.held = Held::InFlight;
  bound.held_ns = all_ns / static_cast<double>(pipeline.in_flight);
  if (pipeline.submit == Submit::One && pipeline.in_flight > 1 && host_ns > bound.held_ns) {
    bound.held = Held::OneThread;
    bound.held_ns = host_ns;
  }
  if (bound.held_ns < kHeld * bound.ns) bound.held.reset();
}

std::optional<PipelineBound> bound_of(const KnownLimits& limits, const CaseResult& result,
                                      std::int64_t cores, const Results& results) {
  const Terms terms(limits, result, cores, results);
  if (!terms.known()) return std::nullopt;
  const Term term = *terms.largest();
  const Series times = times_ns(result, results);
  PipelineBound bound{.kind = term.kind,
                      .lane = lane_name(result, term),
                      .ns = term.at(),
                      .of_bound = paired_ratio(term.ns, times, decision_level),
                      .faster = {},
                      .cores_used = cores_used(result)};
  if (term.kind == BoundKind::Lane) {
    const auto rest = terms.largest(term.lane);
    if (rest && result.pipeline->lanes.size() > 1)
      bound.faster = median_ns(result, results) / rest->at();
    bound.more = more_servers(result, terms, term, times);
  }
  add_held(result, terms, bound);
  return bound;
}

double nearest_rank(const std::vector<std::int64_t>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return static_cast<double>(sorted[std::max<std::size_t>(1, rank) - 1]);
}

double median_of(const std::vector<std::int64_t>& values) {
  return values.empty() ? 0 : median({values.begin(), values.end()});
}

double busy_share(const CaseResult& result, const LaneResult& lane) {
  std::vector<double> shares;
  for (std::size_t r = 0; r < std::min(result.rounds.size(), lane.busy_ns.size()); ++r)
    shares.push_back(static_cast<double>(lane.busy_ns[r]) /
                     static_cast<double>(result.rounds[r].wall_ns * lane.servers));
  return median(std::move(shares));
}

LaneAnalysis analyse_lane(const KnownLimits& limits, const CaseResult& result,
                          const LaneResult& lane, const Results& results) {
  LaneAnalysis analysis{
      .name = lane.name, .servers = lane.servers, .alone_ns = {}, .busy = {}, .exposed_ns = {}};
  if (const CaseResult* const alone = limits.named(lane.alone))
    analysis.alone_ns = median_ns(*alone, results);
  if (lane.busy_ns.empty()) return analysis;
  analysis.busy = busy_share(result, lane);
  analysis.exposed_ns = median_of(lane.exposed_ns) / static_cast<double>(result.iterations);
  return analysis;
}

}  // namespace

PipelineAnalysis analyse_pipeline(const KnownLimits& limits, const CaseResult& result,
                                  const Results& results) {
  const PipelineResult& pipeline = *result.pipeline;
  PipelineAnalysis analysis{.lanes = {}, .in_flight = pipeline.in_flight, .bound = {}};
  for (const LaneResult& lane : pipeline.lanes)
    analysis.lanes.push_back(analyse_lane(limits, result, lane, results));
  std::vector<std::int64_t> latencies = pipeline.latency_ns;
  std::ranges::sort(latencies);
  if (!latencies.empty()) {
    analysis.p50_ns = nearest_rank(latencies, 0.5);
    analysis.p99_ns = nearest_rank(latencies, 0.99);
  }
  analysis.fill_ns = median_of(pipeline.fill_ns);
  analysis.drain_ns = median_of(pipeline.drain_ns);
  const Json cores = value_at(results.environment, "/available_threads");
  analysis.cores = cores.is_number_integer() ? cores.get<std::int64_t>() : 0;
  analysis.bound = bound_of(limits, result, analysis.cores, results);
  if (const CaseResult* const fed = limits.fed(result.variant))
    analysis.headroom =
        paired_ratio(times_ns(result, results), times_ns(*fed, results), decision_level);
  return analysis;
}

}  // namespace normbench
