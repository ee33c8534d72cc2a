#include "analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/case_analysis.h"
#include "analysis/compare_effect.h"
#include "analysis/compare_findings.h"
#include "analysis/compare_gate.h"

namespace normbench {
namespace {

bool measured_in(const CaseRun& run) { return run.result != nullptr && measured(*run.result); }

/// What the two sides took: a median a run where runs are the replicates, else every round.
struct Times {
  std::vector<double> base_ns, now_ns;
};

/// Times of the rounds of all runs of a side.
std::vector<double> all_rounds(const std::vector<CaseRun>& runs) {
  std::vector<double> times;
  for (const CaseRun& run : runs) {
    if (!measured_in(run)) continue;
    const auto of_run = times_ns(*run.result, *run.results);
    times.insert(times.end(), of_run.begin(), of_run.end());
  }
  return times;
}

Times times_of(const MatchedCase& matched, const Comparison& comparison) {
  if (!comparison.run_pairs) return {all_rounds(matched.base), all_rounds(matched.now)};
  Times times;
  for (int i = 0; i < comparison.pairs; ++i) {
    if (!measured_in(matched.base[i]) || !measured_in(matched.now[i])) continue;
    times.base_ns.push_back(median_ns(*matched.base[i].result, *matched.base[i].results));
    times.now_ns.push_back(median_ns(*matched.now[i].result, *matched.now[i].results));
  }
  return times;
}

bool all_positive(const std::vector<double>& times) {
  return std::ranges::all_of(times, [](double ns) { return ns > 0; });
}

/// One side has device times and the other only wall times: these are not to be compared.
bool clocks_differ(const MatchedCase& matched, const Comparison& comparison) {
  return comparison.clock == DecidingClock::Device &&
         device_ns(shown_case(matched.base)).has_value() !=
             device_ns(shown_case(matched.now)).has_value();
}

Change verdict(const Interval& ratio, double margin) {
  if (ratio.low > 1 + margin) return Change::Regressed;
  if (ratio.high < 1 - margin) return Change::Improved;
  return ratio.low >= 1 - margin && ratio.high <= 1 + margin ? Change::Same : Change::Inconclusive;
}

/// Why the times of a case say nothing about it, or "".
std::string why_not(const MatchedCase& matched, const Comparison& comparison, const Times& times) {
  if (times.base_ns.empty()) return "measured in no pair of runs";
  if (clocks_differ(matched, comparison)) return "device times on one side only";
  if (!all_positive(times.base_ns) || !all_positive(times.now_ns)) return "a round took no time";
  return "";
}

void compare_times(const MatchedCase& matched, const Comparison& comparison, ComparedCase& one) {
  const Times times = times_of(matched, comparison);
  one.change = Change::Inconclusive;
  one.why = why_not(matched, comparison, times);
  if (!times.base_ns.empty()) {
    one.base_ns = median(times.base_ns);
    one.now_ns = median(times.now_ns);
  }
  if (!one.why.empty()) return;
  const Effect effect = comparison.run_pairs
                            ? effect_of_pairs(times.base_ns, times.now_ns, comparison.margin)
                            : effect_of_rounds(times.base_ns, times.now_ns, comparison.margin);
  one.replicates = effect.replicates;
  one.ratio = effect.ratio;
  if (!effect.covered) {
    one.why = fmt::format("{} {}: too few for an interval", effect.replicates,
                          comparison.run_pairs ? "pairs of runs" : "rounds");
    return;
  }
  one.p_value = effect.p_value;
  one.visible = visible_change(effect.ratio, comparison.margin);
  one.change = verdict(effect.ratio, comparison.margin);
}

ComparedCase compare_case(const MatchedCase& matched, const Comparison& comparison) {
  ComparedCase one;
  one.name = matched.name;
  one.findings = case_findings(matched);
  const Status base = status_of(matched.base), now = status_of(matched.now);
  if (base == Status::Ok && now == Status::Ok) {
    compare_times(matched, comparison, one);
    return one;
  }
  one.why = reason_of(now != Status::Ok ? matched.now : matched.base);
  if (base == Status::Ok) one.base_ns = median(all_rounds(matched.base));
  if (now == Status::Ok) one.now_ns = median(all_rounds(matched.now));
  if (now == Status::Failed && base == Status::Ok) one.change = Change::Failed;
  one.certain = one.change == Change::Failed;
  return one;
}

/// How far from no change, for the order within a verdict.
double worth(const ComparedCase& one) { return one.ratio ? one.ratio->value : 0; }

void sort_worst_first(std::vector<ComparedCase>& cases) {
  std::ranges::stable_sort(cases, [](const ComparedCase& a, const ComparedCase& b) {
    if (a.change != b.change) return a.change < b.change;
    if (a.certain != b.certain) return a.certain;
    return worth(a) > worth(b);
  });
}

ComparedSide described(const std::vector<Results>& runs) {
  return {.runs = runs.size(), .tool = runs[0].tool, .environment = runs[0].environment};
}

}  // namespace

Comparison compare(const std::vector<Results>& base, const std::vector<Results>& now,
                   std::optional<double> margin) {
  Comparison comparison;
  comparison.name = now[0].name;
  comparison.clock = now[0].clock;
  comparison.base = described(base);
  comparison.now = described(now);
  comparison.differences = setup_differences(base, now);
  comparison.warnings = setup_warnings(base, now);
  comparison.pairs = static_cast<int>(std::min(base.size(), now.size()));
  comparison.run_pairs = comparison.pairs >= kFewestPairs;
  const Margin found = margin_of(base, now, comparison.run_pairs);
  comparison.margin = margin.value_or(found.value);
  comparison.margin_reason = margin ? "--margin" : found.reason;
  MatchedCases matched = match_cases(base, now);
  for (const MatchedCase& one : matched.both)
    comparison.cases.push_back(compare_case(one, comparison));
  comparison.base_only = std::move(matched.base_only);
  comparison.new_only = std::move(matched.new_only);
  decide(comparison);
  sort_worst_first(comparison.cases);
  return comparison;
}

}  // namespace normbench
