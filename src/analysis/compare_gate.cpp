#include "analysis/compare_gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/compare_effect.h"

namespace normbench {
namespace {

constexpr double kAlpha = 0.05;  // false alarms of a whole comparison, at most

std::string few_runs(int pairs) {
  if (pairs == 1)
    return fmt::format(
        "one run a side: differences between runs are not known, the rounds of each decide "
        "({} pairs of runs would tell)",
        kFewestPairs);
  return fmt::format(
      "{} pairs of runs: too few, so the rounds of all decide, and differences between runs are "
      "not known ({} pairs would tell)",
      pairs, kFewestPairs);
}

/// What few pairs of runs mean for the gate, or "".
std::string too_few_for(std::size_t cases, int pairs) {
  int needed = pairs;
  while (sign_test(needed, needed) > kAlpha / static_cast<double>(cases)) ++needed;
  if (needed == pairs) return "";
  return fmt::format(
      "{} pairs of runs are too few to say beyond doubt that one of {} cases regressed ({} would "
      "do)",
      pairs, cases, needed);
}

}  // namespace

void decide(Comparison& comparison) {
  std::vector<ComparedCase*> judged;
  std::vector<double> p_values;
  for (ComparedCase& one : comparison.cases)
    if (one.visible) {
      judged.push_back(&one);
      p_values.push_back(one.p_value);
    }
  const std::vector<bool> rejected = holm(p_values, kAlpha);
  for (std::size_t i = 0; i < judged.size(); ++i)
    if (judged[i]->change == Change::Regressed) judged[i]->certain = rejected[i];
  if (judged.empty()) return;
  const std::string few = comparison.run_pairs ? too_few_for(judged.size(), comparison.pairs)
                                               : few_runs(comparison.pairs);
  if (!few.empty()) comparison.warnings.push_back(few);
}

bool comparable(const Comparison& comparison) {
  return !comparison.cases.empty() &&
         std::ranges::none_of(comparison.differences, &SetupDifference::forbids);
}

int count(const Comparison& comparison, Change change) {
  return static_cast<int>(std::ranges::count(comparison.cases, change, &ComparedCase::change));
}

Gate gate(const Comparison& comparison) {
  const auto& cases = comparison.cases;
  if (std::ranges::any_of(cases, &ComparedCase::certain)) return Gate::Regressed;
  const bool undecided = std::ranges::any_of(cases, [](const ComparedCase& one) {
    return one.change == Change::Regressed || one.change == Change::Inconclusive ||
           (one.change == Change::NotCompared && one.base_ns);
  });
  return undecided || !comparison.base_only.empty() ? Gate::Undecided : Gate::Passed;
}

}  // namespace normbench
