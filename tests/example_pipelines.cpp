#include "example_results.h"

namespace normbench::examples {

namespace {

constexpr std::int64_t items = 20;

/// Returns a case whose pipeline has the stages `load`, `normalize` and `save`, and takes `ms` per
/// item. Each stage is a lane of its own. With several items in flight, the lanes work on different
/// items at the same time.
CaseResult loading(const std::string& variant, double ms, std::int64_t in_flight, Submit submit) {
  CaseResult result = make_case(
      {variant, ms, DType::UInt8, {{"load", DType::UInt8}, {"normalize"}, {"save", DType::UInt8}}});
  result.source.reset();
  result.iterations = items;
  PipelineResult pipeline{.in_flight = in_flight, .submit = submit};
  const std::pair<const char*, double> lanes[] = {{"load", 12}, {"cpu", 0.5}, {"save", 6}};
  for (std::int64_t s = 0; s < 3; ++s) {
    const auto [name, lane_ms] = lanes[s];
    LaneResult& lane = pipeline.lanes.emplace_back(
        LaneResult{.name = name, .stages = {s}, .alone = std::string("lane ") + name});
    lane.busy_ns.assign(result.rounds.size(), static_cast<std::int64_t>(lane_ms * 1e6) * items);
    lane.exposed_ns.assign(result.rounds.size(), static_cast<std::int64_t>(lane_ms * 5e5) * items);
  }
  for (Round& round : result.rounds) {
    pipeline.fill_ns.push_back(18'500'000);
    pipeline.drain_ns.push_back(6'500'000);
    for (std::int64_t i = 0; i < items; ++i)
      pipeline.latency_ns.push_back(18'500'000 + i * 100'000);
    round.wall_ns *= items;
    round.cpu_ns = 18'500'000 * items;
  }
  result.pipeline = std::move(pipeline);
  return result;
}

/// Returns a case that runs only a part of the pipeline of variant `of`, such as a single lane. Its
/// CPU time equals its wall time, as if one core were always busy.
CaseResult part(const std::string& name, double ms, const std::string& of) {
  CaseResult result = loading(name, ms, 1, Submit::Lane);
  result.pipeline->part_of = of;
  result.pipeline->lane = name.starts_with("lane ") ? name.substr(5) : "";
  result.check = {.ok = true, .held_to = HeldTo::Nothing};
  for (Round& round : result.rounds) round.cpu_ns = round.wall_ns;
  for (LaneResult& lane : result.pipeline->lanes) lane.alone.clear();
  return result;
}

}  // namespace

Results pipelines() {
  GroupResult group;
  group.experiment = "example";
  group.question = "Load, normalise, save: what is left to gain?";
  group.cases = {loading("in turn", 18.8, 1, Submit::Lane),
                 loading("three in flight", 12.4, 3, Submit::Lane),
                 loading("one thread", 18.7, 3, Submit::One)};
  group.baseline = "in turn";
  group.limits = {part("lane load", 12, "in turn"), part("lane cpu", 0.5, "in turn"),
                  part("lane save", 6, "in turn"),
                  part("three in flight, fed from memory", 6.1, "three in flight")};
  group.stop = Stop::Precision;
  Results results = make_results("pipelines", {group});
  results.environment["available_threads"] = 2;
  return results;
}

}  // namespace normbench::examples
