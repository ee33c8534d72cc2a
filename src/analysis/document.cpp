#include <cmath>

#include "analysis/analysis.h"
#include "analysis/case_analysis.h"

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
  json["counters"] = {{"minor_faults", number(*analysis.faults)},
                      {"context_switches", number(*analysis.switches)}};
}

Json verdict(const Verdict& verdict) {
  Json json = {{"winner", verdict.winner},
               {"bound", verdict.bound},
               {"cause", verdict.cause},
               {"text", verdict.text},
               {"claims", Json::array()}};
  for (const Judgement& judgement : verdict.claims)
    json["claims"].push_back(
        {{"text", judgement.claim}, {"verdict", judgement.verdict}, {"detail", judgement.detail}});
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
  return document;
}

}  // namespace normbench
