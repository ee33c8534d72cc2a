#include "analysis/prediction.h"

#include <algorithm>

#include "analysis/case_analysis.h"

namespace normbench {
namespace {

std::int64_t threads_of(const CaseResult& result, std::size_t stage) {
  if (result.pipeline)
    for (const LaneResult& lane : result.pipeline->lanes)
      if (std::ranges::find(lane.stages, static_cast<std::int64_t>(stage)) != lane.stages.end())
        return lane.threads;
  return result.threads;
}

/// What the stage of a chain reads; nothing where it loads files.
std::optional<TensorDesc> input_of(const CaseResult& result, std::size_t stage) {
  return stage == 0 ? result.source : result.stages[stage - 1].out;
}

/// True for the same work on the same tensors by as many threads.
bool is_same(const Stage& stage, int threads, const CaseResult& result, std::size_t index) {
  const StageResult& other = result.stages[index];
  const auto& in = stage.signature.in;
  return name_of(stage.op) == other.op && stage.parameters == other.parameters &&
         stage.kernel != nullptr && stage.kernel->name == other.kernel &&
         stage.place == other.place && stage.signature.out.front() == other.out &&
         threads_of(result, index) == threads &&
         input_of(result, index) == (in.empty() ? std::nullopt : std::optional(in.front()));
}

std::optional<double> stage_ns(const Stage& stage, int threads, const Results& times) {
  std::optional<double> least;
  for (const GroupResult& group : times.groups)
    for (const auto* results : {&group.cases, &group.limits})
      for (const CaseResult& result : *results)
        for (std::size_t s = 0; measured(result) && s < result.stages.size(); ++s) {
          if (!is_same(stage, threads, result, s)) continue;
          const double ns = per_iteration_ns(result, result.stages[s].rounds_ns);
          if (ns > 0 && ns < least.value_or(ns + 1)) least = ns;
        }
  return least;
}

/// Adds a lane's stages; what has no time to `missing`.
std::optional<double> lane_ns(const Case& work, const Lane& lane, const Results& times,
                              double& cpu_ns, std::vector<std::string>& missing) {
  double sum_ns = 0;
  bool is_whole = true;
  for (const std::size_t s : lane.stages) {
    const Stage& stage = work.stages[s];
    const auto ns = stage_ns(stage, lane.threads, times);
    is_whole = is_whole && ns;
    if (!ns) missing.push_back(stage.label);
    sum_ns += ns.value_or(0);
    if (stage.place == Place::Cpu) cpu_ns += ns.value_or(0) * lane.threads;
  }
  return is_whole ? std::optional(sum_ns) : std::nullopt;
}

}  // namespace

Prediction predict(const Case& work, const Results& times, std::int64_t cores) {
  Prediction prediction;
  double cpu_ns = 0, bound_ns = 0;
  for (const Lane& lane : work.pipeline->lanes) {
    const auto ns = lane_ns(work, lane, times, cpu_ns, prediction.missing);
    prediction.lanes_ns.push_back(ns);
    prediction.in_turn_ns += ns.value_or(0);
    if (const double of_server = ns.value_or(0) / lane.servers; of_server > bound_ns) {
      bound_ns = of_server;
      prediction.lane = lane.name;
    }
  }
  if (const double of_core = cpu_ns / static_cast<double>(cores); of_core > bound_ns) {
    bound_ns = of_core;
    prediction.kind = BoundKind::Cores;
    prediction.lane.clear();
  }
  const double of_flight = prediction.in_turn_ns / work.pipeline->in_flight;
  if (of_flight > bound_ns) {
    bound_ns = of_flight;
    prediction.held = Held::InFlight;
  }
  if (prediction.missing.empty()) prediction.bound_ns = bound_ns;
  return prediction;
}

}  // namespace normbench
