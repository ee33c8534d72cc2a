#include "analysis/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/case_analysis.h"
#include "analysis/pairs.h"

namespace normbench {
namespace {

/// Returns the nearest-rank percentile: the smallest value such that at least `share` of all values
/// are less than or equal to it. `values` must not be empty.
double percentile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

/// Returns the relative differences in time between consecutive pairs of the same kind. Only pairs
/// with `fresh_process` count; each of them was measured in a process of its own.
std::vector<double> between_processes(const std::vector<JudgedPair>& pairs) {
  std::map<PairKind, double> before;
  std::vector<double> differences;
  for (const JudgedPair& pair : pairs) {
    if (!pair.fresh_process) continue;
    if (const auto found = before.find(pair.kind); found != before.end())
      differences.push_back(std::abs(pair.median_ns / found->second - 1));
    before[pair.kind] = pair.median_ns;
  }
  return differences;
}

bool excludes_one(const Interval& ratio) { return ratio.low > 1 || ratio.high < 1; }

Answer answer_of(const Interval& ratio, bool different, double precision) {
  if (different && ratio.value < 1) return Answer::WrongWay;
  if (ratio.low > kMoreWork * (1 + precision) || ratio.high < kMoreWork * (1 - precision))
    return Answer::WrongSize;
  return different ? Answer::Found : Answer::NotFound;
}

Json pair_json(const JudgedPair& pair) {
  return {
      {"kind", name_of(pair.kind)},
      {"seed", pair.seed},
      {"fresh_process", pair.fresh_process},
      {"ratio", {{"value", pair.ratio.value}, {"low", pair.ratio.low}, {"high", pair.ratio.high}}},
      {"excludes_one", excludes_one(pair.ratio)},
      {"different", pair.different},
      {"answer", pair.answer ? Json(name_of(*pair.answer)) : Json()},
      {"visible", pair.visible},
      {"median_ns", pair.median_ns},
      {"rounds", pair.rounds},
      {"stop", name_of(pair.stop)}};
}

}  // namespace

const CaseResult* unmeasured(const MeasuredPair& pair) {
  const auto& cases = pair.group.cases;
  const auto at = std::ranges::find_if_not(cases, measured);
  return at == cases.end() ? nullptr : &*at;
}

bool is_too_busy(const MeasuredPair& pair) {
  return !Pairs(MeasuredGroup(pair.group, {})).of(1, 0).has_value();
}

JudgedPair judge_pair(const MeasuredPair& pair, double precision) {
  const GroupResult& group = pair.group;
  Results results;
  results.precision = precision;
  const auto first = times_ns(group.cases.at(0), results);
  const auto second = times_ns(group.cases.at(1), results);
  const Pair compared = Pairs(MeasuredGroup(group, results)).of(1, 0).value();
  const Interval ratio = paired_ratio(second, first, decision_level);
  std::optional<Answer> answer;
  if (pair.kind == PairKind::Slowed) answer = answer_of(ratio, compared.different, precision);
  return {.kind = pair.kind,
          .seed = pair.seed,
          .fresh_process = pair.fresh_process,
          .ratio = ratio,
          .different = compared.different,
          .answer = answer,
          .visible = visible_difference(compared, precision),
          .median_ns = median_ns(group.cases.at(0), results),
          .rounds = static_cast<int>(first.size()),
          .stop = group.stop};
}

CalibrationSummary summarize(const std::vector<JudgedPair>& pairs) {
  CalibrationSummary summary;
  std::vector<double> visible;
  for (const JudgedPair& pair : pairs) {
    if (pair.fresh_process) continue;
    if (pair.kind == PairKind::Slowed) {
      ++summary.slowed_pairs;
      summary.slowed_found += pair.answer == Answer::Found;
      summary.slowed_wrong_way += pair.answer == Answer::WrongWay;
      summary.slowed_wrong_size += pair.answer == Answer::WrongSize;
      continue;
    }
    ++summary.pairs;
    if (excludes_one(pair.ratio)) ++summary.excluding_one;
    if (pair.different) ++summary.false_alarms;
    visible.push_back(pair.visible);
  }
  summary.false_alarm = wilson_interval(summary.false_alarms, summary.pairs, 0.95);
  summary.visible = median(visible);
  const std::vector<double> differences = between_processes(pairs);
  if (!differences.empty()) summary.between = percentile(differences, 0.95);
  summary.between_differences = static_cast<int>(differences.size());
  return summary;
}

Json to_json(const CalibrationSummary& summary, const std::string& date, const std::string& machine,
             double seconds) {
  return {{"date", date},
          {"machine", machine},
          {"seconds", seconds},
          {"pairs", summary.pairs},
          {"excluding_one", summary.excluding_one},
          {"false_alarms", summary.false_alarms},
          {"false_alarm_low", summary.false_alarm.low},
          {"false_alarm_high", summary.false_alarm.high},
          {"slowed_pairs", summary.slowed_pairs},
          {"slowed_found", summary.slowed_found},
          {"slowed_wrong_way", summary.slowed_wrong_way},
          {"slowed_wrong_size", summary.slowed_wrong_size},
          {"visible", summary.visible},
          {"between", summary.between ? Json(*summary.between) : Json()},
          {"between_differences", summary.between_differences}};
}

bool knows_between(const Json& calibration) {
  const Json& differences = value_at(calibration, "/between_differences");
  return differences.is_number() && differences.get<double>() >= kFewestDifferences;
}

Json calibration_document(const Json& calibration, const std::vector<JudgedPair>& pairs) {
  Json document = {{"calibration", calibration}, {"pairs", Json::array()}};
  for (const JudgedPair& pair : pairs) document["pairs"].push_back(pair_json(pair));
  return document;
}

}  // namespace normbench
