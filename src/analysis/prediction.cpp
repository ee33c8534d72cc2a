#include "analysis/prediction.h"

#include <algorithm>
#include <span>

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

/// Returns true if the stage may have read a tensor like `desc`: an input of the case or the output
/// of an earlier stage has the same dtype, layout, shape and memory.
bool could_read(const CaseResult& result, std::size_t stage, const TensorDesc& desc) {
  if (result.source == desc ||
      std::ranges::find(result.more_inputs, desc) != result.more_inputs.end())
    return true;
  const auto before = std::span(result.stages).first(stage);
  return std::ranges::find(before, desc, &StageResult::out) != before.end();
}

/// Returns true if both stages do the same work on the same tensors with the same number of
/// threads.
bool is_same(const Stage& stage, int threads, const CaseResult& result, std::size_t index) {
  const StageResult& other = result.stages[index];
  const auto& in = stage.signature.in;
  return name_of(stage.op) == other.op && stage.parameters == other.parameters &&
         stage.kernel != nullptr && stage.kernel->name == other.kernel &&
         stage.place == other.place && stage.signature.out.front() == other.out &&
         threads_of(result, index) == threads &&
         std::ranges::all_of(
             in, [&](const TensorDesc& desc) { return could_read(result, index, desc); });
}

struct StageTime {
  double ns = 0, cores = 1;
};

/// Returns the cores that a case uses: its CPU time over its wall time; 0 without rounds.
double cores_of(const CaseResult& result) {
  double cpu_ns = 0, wall_ns = 0;
  for (const Round& round : result.rounds) {
    cpu_ns += static_cast<double>(round.cpu_ns);
    wall_ns += static_cast<double>(round.wall_ns);
  }
  return wall_ns > 0 ? cpu_ns / wall_ns : 0;
}

std::optional<StageTime> stage_time(const Stage& stage, int threads, const Results& times) {
  std::optional<StageTime> least;
  for (const GroupResult& group : times.groups)
    for (const auto* results : {&group.cases, &group.limits})
      for (const CaseResult& result : *results)
        for (std::size_t s = 0; measured(result) && s < result.stages.size(); ++s) {
          if (!is_same(stage, threads, result, s)) continue;
          const double ns = per_iteration_ns(result, result.stages[s].rounds_ns);
          if (ns > 0 && (!least || ns < least->ns))
            least = {.ns = ns, .cores = std::min<double>(threads, cores_of(result))};
        }
  return least;
}

/// Returns the sum of the times of a lane's stages; nothing if a stage has no time. Adds the labels
/// of stages without a time to `missing`, and the CPU time of host stages to `cpu_ns`.
std::optional<double> lane_ns(const Case& planned, const Lane& lane, const Results& times,
                              double& cpu_ns, std::vector<std::string>& missing) {
  double sum_ns = 0;
  bool is_whole = true;
  for (const std::size_t s : lane.stages) {
    const Stage& stage = planned.stages[s];
    const auto time = stage_time(stage, lane.threads, times);
    if (!time) missing.push_back(stage.label);
    is_whole = is_whole && time;
    if (!time) continue;
    sum_ns += time->ns;
    if (stage.place == Place::Cpu) cpu_ns += time->ns * time->cores;
  }
  return is_whole ? std::optional(sum_ns) : std::nullopt;
}

bool works_on_cpu(const Case& planned, const Lane& lane) {
  return std::ranges::any_of(
      lane.stages, [&](std::size_t stage) { return planned.stages[stage].place == Place::Cpu; });
}

}  // namespace

Prediction predict(const Case& planned, const Results& times, std::int64_t cores) {
  Prediction prediction;
  double cpu_ns = 0, bound_ns = 0, host_ns = 0;
  for (const Lane& lane : planned.pipeline->lanes) {
    const auto ns = lane_ns(planned, lane, times, cpu_ns, prediction.missing);
    if (works_on_cpu(planned, lane)) host_ns += ns.value_or(0);
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
  if (planned.pipeline->submit == Submit::One && host_ns > bound_ns) {
    bound_ns = host_ns;
    prediction.held = Held::OneThread;
  }
  const double of_flight = prediction.in_turn_ns / planned.pipeline->in_flight;
  if (of_flight > bound_ns) {
    bound_ns = of_flight;
    prediction.held = Held::InFlight;
  }
  if (prediction.missing.empty()) prediction.bound_ns = bound_ns;
  return prediction;
}

}  // namespace normbench
