#include <cmath>

#include "analysis/sweep/fit.h"
#include "analysis/sweep/trends.h"
#include "report/cause_text.h"
#include "report/document_text.h"
#include "report/report.h"
#include "report/verdict_text.h"
#include "report/words.h"

namespace normbench {
namespace {

Json interval(const Interval& ratio) {
  return {{"value", finite(ratio.value)}, {"low", finite(ratio.low)}, {"high", finite(ratio.high)}};
}

void add_pipeline(Json& json, const PipelineAnalysis& analysis) {
  json["latency_p50_ns"] = analysis.p50_ns;
  json["latency_p99_ns"] = analysis.p99_ns;
  for (std::size_t i = 0; i < analysis.lanes.size(); ++i) {
    json["lanes"][i]["alone_ns"] = finite(analysis.lanes[i].alone_ns);
    json["lanes"][i]["busy"] = finite(analysis.lanes[i].busy);
  }
  if (analysis.headroom) json["headroom"] = interval(*analysis.headroom);
  if (!analysis.bound) return;
  const PipelineBound& bound = *analysis.bound;
  Json& out = json["bound"] = {{"by", bound_name(bound)}, {"ns", finite(bound.ns)}};
  out["of_bound"] = interval(bound.of_bound);
  if (bound.faster) out["faster_lane_gains"] = finite(*bound.faster);
  if (bound.more)
    out["more_servers"] = {{"servers", bound.more->servers},
                           {"in_flight", bound.more->in_flight},
                           {"gain", interval(bound.more->gain)},
                           {"at_most", interval(bound.more->at_most)}};
  if (bound.held) out["held_ns"] = finite(bound.held_ns);
}

void add_derived(Json& json, const CaseResult& result, const CaseAnalysis& analysis,
                 const std::string& baseline) {
  if (!analysis.time_ns) return;
  json["summary"] = {{"rounds", result.rounds.size()},
                     {"median_ns", finite(analysis.time_ns->value)},
                     {"low_ns", finite(analysis.time_ns->low)},
                     {"high_ns", finite(analysis.time_ns->high)}};
  if (analysis.ratio) {
    json["ratio"] = {{"to", baseline}};
    json["ratio"].update(interval(*analysis.ratio));
    json["ratio"]["of_medians"] = finite(analysis.of_medians);
    if (analysis.states)
      json["ratio"]["states"] = {{{"value", finite(std::exp(analysis.states->low))},
                                  {"rounds", analysis.states->low_count}},
                                 {{"value", finite(std::exp(analysis.states->high))},
                                  {"rounds", analysis.states->high_count}}};
  }
  if (analysis.of_limit) {
    json["of_limit"] = {{"limit", analysis.limit}};
    json["of_limit"].update(interval(*analysis.of_limit));
  }
  if (analysis.pipeline) add_pipeline(json["pipeline"], *analysis.pipeline);
  json["counters"] = {{"minor_faults", finite(*analysis.faults)}};
  if (analysis.switches) json["counters"]["context_switches"] = finite(*analysis.switches);
}

void add_limits(Json& json, const CaseAnalysis& analysis) {
  for (std::size_t s = 0; s < analysis.stages.size(); ++s) {
    const StageAnalysis& stage = analysis.stages[s];
    if (stage.limit.empty()) continue;
    json["stages"][s]["limit"] = stage.limit;
    json["stages"][s]["floor_ns"] = finite(stage.floor_ns);
    if (stage.of_limit) json["stages"][s]["of_limit"] = interval(*stage.of_limit);
  }
  if (analysis.floor_ns) json["floor_ns"] = finite(*analysis.floor_ns);
  if (!analysis.binding.empty()) json["binding"] = analysis.binding;
  if (analysis.bytes_moved) json["bytes_moved"] = finite(*analysis.bytes_moved);
}

void add_per_image(Json& json, const CaseResult& result, const GroupResult& group) {
  if (const auto seconds = cpu_seconds_per_image(result))
    json["counters"]["cpu_s_per_image"] = finite(*seconds);
  const CaseProfile* const profile = find_profile(group, result.variant);
  const auto joules = profile ? counted_per_image(result, *profile).joules : std::nullopt;
  if (joules) json["counters"]["joules_per_image"] = finite(*joules);
}

void add_noise(Json& json, const CaseNoise& noise) {
  if (noise.rounds == 0) return;
  json["noise"] = {{"steal_share", finite(noise.steal_share)},
                   {"throttled_share", finite(noise.throttled_share)},
                   {"frequency_khz", noise.frequency_khz},
                   {"frequency_spread", finite(noise.frequency_spread)},
                   {"disturbed", noise.disturbed.size()},
                   {"autocorrelation", finite(noise.autocorrelation)},
                   {"drifts", noise.drifts},
                   {"sensitive", noise.sensitive}};
  if (noise.drift) json["noise"]["drift"] = interval(*noise.drift);
  if (noise.undisturbed) json["noise"]["undisturbed_ratio"] = interval(*noise.undisturbed);
  json["flags"] = Json::object();
  for (const auto& [flag, rounds] : noise.flagged)
    json["flags"][std::string(name_of(flag))] = rounds;
}

/// Adds how long each throttle reason held the GPU's clocks back; nothing if none did.
void add_held_back(Json& json, const DeviceStates& states) {
  if (states.held_back_ns.empty()) return;
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  Json& held = json["gpu_held_back"] = {{"seconds", Json::object()},
                                        {"of_seconds", seconds(states.rounds_ns)}};
  for (const auto& [reason, ns] : states.held_back_ns) held["seconds"][reason] = seconds(ns);
}

/// Adds the range of the GPU's clocks, temperatures and throttle reasons, as far as they were read.
void add_device_states(Json& json, const DeviceStates& states) {
  if (states.read == 0 && !states.over_turns) return;
  const auto words = [](std::int64_t bits) {
    return throttle_words(static_cast<std::uint64_t>(bits));
  };
  json["gpu_states"] = {
      {"turns", states.turns},
      {"read", states.read},
      {"sm_clock_of", states.over_turns ? "turns" : "ends"},
      {"sm_clock_mhz",
       {{"low", states.low_mhz}, {"median", states.middle_mhz}, {"high", states.high_mhz}}},
      {"changed", states.changed()}};
  if (states.read == 0) return;
  json["gpu_states"]["temperature_c"] = {{"low", states.low_c}, {"high", states.high_c}};
  json["gpu_states"]["throttle_reasons"] = {{"always", words(states.always_bits)},
                                            {"sometimes", words(states.sometimes_bits)}};
}

/// Adds how many states the host was in: 1 or 2, or null if there were too few rounds to tell. Adds
/// nothing if no stream was measured in several forms.
void add_host_states(Json& json, const HostStates& states) {
  if (states.rounds == 0) return;
  Json& out = json["host_states"] = {{"states", nullptr}, {"rounds", states.rounds}};
  if (states.are_enough) out["states"] = 1;
  if (!states.change) return;
  out["states"] = 2;
  out["change"] = {{"limit", states.change->limit},
                   {"other", states.change->other},
                   {"rounds", states.change->rounds},
                   {"before", finite(states.change->before)},
                   {"after", finite(states.change->after)}};
  if (states.change->round) out["change"]["round"] = *states.change->round;
}

/// Adds the cases in which other work held up too many rounds, if there are any.
void add_busy(Json& json, const GroupResult& group, const std::optional<Busy>& busy) {
  if (!busy) return;
  Json& out = json["busy"] = {
      {"cases", Json::array()}, {"share", finite(busy->share)}, {"cpu_ratio", Json::object()}};
  for (const int i : busy->cases) out["cases"].push_back(group.cases[i].variant);
  for (const int i : busy->crowded) out["more_threads_than_cpus"].push_back(group.cases[i].variant);
  for (const Busy::CpuRatio& one : busy->by_cpu)
    out["cpu_ratio"][group.cases[one.index].variant] = interval(one.ratio);
}

Json verdict(const GroupResult& group, const GroupAnalysis& analysis, const Results& results) {
  const Verdict& verdict = analysis.verdict;
  Json json = {{"winner", verdict.winner},
               {"bound", cause_text(verdict.bound).name},
               {"cause", verdict.slow ? cause_text(verdict.slow->cause).name : ""},
               {"text", verdict_text(group, analysis, results)},
               {"claims", Json::array()}};
  if (verdict.outcome == Outcome::Tie || verdict.outcome == Outcome::Inconclusive)
    json["visible"] = finite(verdict.visible);
  for (std::size_t i = 0; i < verdict.claims.size(); ++i) {
    const Claim& claim = group.claims[i];
    const Judgement& judgement = verdict.claims[i];
    json["claims"].push_back(
        {{"text", claim.text},
         {"verdict", name_of(judgement.outcome)},
         {"detail", judgement_detail(group, claim, judgement, precision_of(group, results))}});
    if (judgement.size) json["claims"].back()["ratio"] = interval(*judgement.size);
    if (judgement.pair)
      json["claims"].back()["visible"] =
          finite(visible_difference(*judgement.pair, precision_of(group, results)));
    if (judgement.caveat) json["claims"].back()["caveat"] = caveat_text(judgement.caveat);
  }
  return json;
}

Json on(const AxisLine& line) { return {{"axis", line.axis}, {"at", line.fixed}}; }

Json crossing_json(const AxisLine& line, const Crossing& crossing) {
  Json json = on(line);
  json.update({{"a", crossing.a},
               {"b", crossing.b},
               {"points", crossing.points},
               {"decided", crossing.decided},
               {"leader", crossing.leader},
               {"changes", Json::array()}});
  for (const Overtaking& change : crossing.changes)
    json["changes"].push_back(
        {{"from", change.from}, {"to", change.to}, {"after", change.after}, {"by", change.by}});
  return json;
}

Json fit_json(const AxisLine& line, const AxisFit& fit) {
  Json json = on(line);
  json.update({{"variant", fit.variant},
               {"points", fit.points},
               {"explains", fit.explains},
               {"worst_residual", fit.fitted.worst}});
  if (!fit.explains) return json;
  json.update({{"fixed_ns", fit.fitted.fixed_ns},
               {"gb_per_s", fit.fitted.gb_per_s()},
               {"half_bytes", fit.fitted.half_bytes()},
               {"amount_at_90_percent", fit.amount90}});
  return json;
}

Json unscaled_json(const AxisLine& line, const Unscaled& result) {
  Json json = on(line);
  json.update({{"variant", result.variant},
               {"small", result.small},
               {"large", result.large},
               {"work", result.work},
               {"fixed_ns", result.fixed_ns}});
  return json;
}

Json trend_json(const TrendJudgement& judgement) {
  Json json = {{"text", judgement.claim.text},
               {"verdict", name_of(judgement.outcome)},
               {"axis", judgement.claim.across->axis},
               {"at", judgement.fixed}};
  if (!judgement.from.is_null())
    json.update({{"from", judgement.from},
                 {"first", interval(judgement.first)},
                 {"to", judgement.to},
                 {"last", interval(judgement.last)}});
  return json;
}

/// Returns the summary of an experiment over its points. "crossovers", "fits" and "unscaled" have
/// entries for variants along each numeric axis, where "at" holds the values of the other axes.
/// They are empty for an experiment of one point. A fit that does not explain its points has only
/// its worst residual. "claims" has the claims about trends.
Json experiment_json(const Experiment& experiment, const Results& results) {
  Json json = {{"experiment", experiment.groups[0]->experiment},
               {"crossovers", Json::array()},
               {"fits", Json::array()},
               {"unscaled", Json::array()},
               {"claims", Json::array()}};
  for (const AxisLine& line : axis_lines(experiment)) {
    for (const Crossing& crossing : crossings(experiment, line))
      json["crossovers"].push_back(crossing_json(line, crossing));
    for (const AxisFit& fit : fits(experiment, line)) json["fits"].push_back(fit_json(line, fit));
    for (const Unscaled& result : unscaled(experiment, line))
      json["unscaled"].push_back(unscaled_json(line, result));
  }
  for (const TrendJudgement& judgement : judge_trends(experiment, results))
    json["claims"].push_back(trend_json(judgement));
  return json;
}

void add_analysis(Json& json, const GroupResult& group, const GroupAnalysis& analysis,
                  const Results& results) {
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    add_derived(json["cases"][i], group.cases[i], analysis.cases[i], group.baseline);
    add_limits(json["cases"][i], analysis.cases[i]);
    add_per_image(json["cases"][i], group.cases[i], group);
    add_noise(json["cases"][i], analysis.noise[i]);
  }
  json["pairs"] = Json::array();
  for (const Pair& pair : analysis.pairs)
    json["pairs"].push_back({{"a", group.cases[pair.a].variant},
                             {"b", group.cases[pair.b].variant},
                             {"ratio", interval(pair.ratio)},
                             {"different", pair.different}});
  add_device_states(json, analysis.device);
  add_held_back(json, analysis.device);
  add_host_states(json, analysis.host);
  add_busy(json, group, analysis.busy);
  json["quality"] = quality_text(analysis);
  json["autocorrelation"] = finite(analysis.autocorrelation);
  json["verdict"] = verdict(group, analysis, results);
}

}  // namespace

Json document(const Analysed& analysed) {
  const Results& results = analysed.results();
  Json document = to_json(results);
  document["experiments"] = Json::array();
  std::size_t group = 0;
  for (const Experiment& experiment : analysed.experiments()) {
    for (std::size_t g = 0; g < experiment.groups.size(); ++g)
      add_analysis(document["groups"][group++], *experiment.groups[g], experiment.analyses[g],
                   results);
    document["experiments"].push_back(experiment_json(experiment, results));
  }
  return document;
}

}  // namespace normbench
