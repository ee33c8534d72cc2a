#include <cmath>

#include "analysis/analysis.h"
#include "analysis/case_analysis.h"
#include "analysis/per_image.h"
#include "analysis/sweep_json.h"

namespace normbench {

namespace {

/// Documents hold finite numbers only.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json interval(const Interval& ratio) {
  return {{"value", number(ratio.value)}, {"low", number(ratio.low)}, {"high", number(ratio.high)}};
}

void add_derived(Json& json, const CaseResult& result, const CaseAnalysis& analysis,
                 const std::string& baseline) {
  if (!analysis.time_ns) return;
  json["summary"] = {{"rounds", result.rounds.size()},
                     {"median_ns", number(analysis.time_ns->value)},
                     {"low_ns", number(analysis.time_ns->low)},
                     {"high_ns", number(analysis.time_ns->high)}};
  if (analysis.ratio) {
    json["ratio"] = {{"to", baseline}};
    json["ratio"].update(interval(*analysis.ratio));
  }
  if (analysis.of_limit) {
    json["of_limit"] = {{"limit", analysis.limit}};
    json["of_limit"].update(interval(*analysis.of_limit));
  }
  json["counters"] = {{"minor_faults", number(*analysis.faults)}};
  if (analysis.switches) json["counters"]["context_switches"] = number(*analysis.switches);
}

/// What the machine can do at most for each stage, and for all of them.
void add_limits(Json& json, const CaseAnalysis& analysis) {
  for (std::size_t s = 0; s < analysis.stages.size(); ++s) {
    const StageAnalysis& stage = analysis.stages[s];
    if (stage.limit.empty()) continue;
    json["stages"][s]["limit"] = stage.limit;
    json["stages"][s]["floor_ns"] = number(stage.floor_ns);
    if (stage.of_limit) json["stages"][s]["of_limit"] = interval(*stage.of_limit);
  }
  if (analysis.floor_ns) json["floor_ns"] = number(*analysis.floor_ns);
  if (!analysis.binding.empty()) json["binding"] = analysis.binding;
  if (analysis.bytes_moved) json["bytes_moved"] = number(*analysis.bytes_moved);
}

/// CPU time and energy of an image, beside the counts of an iteration.
void add_per_image(Json& json, const CaseResult& result, const GroupResult& group) {
  if (const auto seconds = cpu_seconds_per_image(result))
    json["counters"]["cpu_s_per_image"] = number(*seconds);
  const CaseProfile* const profile = find_profile(group, result.variant);
  const auto joules = profile ? counted_per_image(result, *profile).joules : std::nullopt;
  if (joules) json["counters"]["joules_per_image"] = number(*joules);
}

void add_noise(Json& json, const CaseNoise& noise) {
  if (noise.rounds == 0) return;
  json["noise"] = {{"steal_share", number(noise.steal_share)},
                   {"throttled_share", number(noise.throttled_share)},
                   {"frequency_khz", noise.frequency_khz},
                   {"frequency_spread", number(noise.frequency_spread)},
                   {"disturbed", noise.disturbed.size()},
                   {"autocorrelation", number(noise.autocorrelation)},
                   {"drifts", noise.drifts},
                   {"sensitive", noise.sensitive}};
  if (noise.drift) json["noise"]["drift"] = interval(*noise.drift);
  if (noise.undisturbed) json["noise"]["undisturbed_ratio"] = interval(*noise.undisturbed);
  json["flags"] = Json::object();
  for (const auto& [flag, rounds] : noise.flagged)
    json["flags"][std::string(name_of(flag))] = rounds;
}

Json verdict(const Verdict& verdict) {
  Json json = {{"winner", verdict.winner},
               {"bound", verdict.bound},
               {"cause", verdict.cause},
               {"text", verdict.text},
               {"claims", Json::array()}};
  for (const Judgement& judgement : verdict.claims) {
    json["claims"].push_back(
        {{"text", judgement.claim}, {"verdict", judgement.verdict}, {"detail", judgement.detail}});
    if (!judgement.caveat.empty()) json["claims"].back()["caveat"] = judgement.caveat;
  }
  return json;
}

}  // namespace

Json document(const Results& results) {
  Json document = to_json(results);
  for (std::size_t g = 0; g < results.groups.size(); ++g) {
    const GroupResult& group = results.groups[g];
    const GroupAnalysis analysis = analyse(group, results);
    Json& json = document["groups"][g];
    for (std::size_t i = 0; i < group.cases.size(); ++i)
      add_derived(json["cases"][i], group.cases[i], analysis.cases[i], group.baseline);
    for (std::size_t i = 0; i < group.cases.size(); ++i)
      add_limits(json["cases"][i], analysis.cases[i]);
    for (std::size_t i = 0; i < group.cases.size(); ++i)
      add_per_image(json["cases"][i], group.cases[i], group);
    for (std::size_t i = 0; i < group.cases.size(); ++i)
      add_noise(json["cases"][i], analysis.noise[i]);
    json["pairs"] = Json::array();
    for (const Pair& pair : analysis.pairs)
      json["pairs"].push_back({{"a", group.cases[pair.a].variant},
                               {"b", group.cases[pair.b].variant},
                               {"ratio", interval(pair.ratio)},
                               {"different", pair.different}});
    json["quality"] = analysis.quality;
    json["autocorrelation"] = number(analysis.autocorrelation);
    json["verdict"] = verdict(analysis.verdict);
  }
  document["experiments"] = Json::array();
  for (const Experiment& experiment : experiments(results))
    document["experiments"].push_back(experiment_json(experiment));
  return document;
}

}  // namespace normbench
