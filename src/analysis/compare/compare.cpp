#include "analysis/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/case_analysis.h"
#include "analysis/compare/effect.h"

namespace normbench {
namespace {

constexpr double kAlpha = 0.05;  // false alarms of a whole comparison, at most

bool measured_in(const CaseRun& run) { return run.result != nullptr && measured(*run.result); }

/// What the two sides took: a median a run where runs are the replicates, else every round.
struct Times {
  std::vector<double> base_ns, now_ns;
};

std::vector<double> all_rounds(const std::vector<CaseRun>& runs) {
  std::vector<double> times;
  for (const CaseRun& run : runs) {
    if (!measured_in(run)) continue;
    const auto of_run = times_ns(*run.result, *run.results);
    std::ranges::copy_if(of_run, std::back_inserter(times), [](double ns) { return ns > 0; });
  }
  return times;
}

/// By how much each pair of runs is slower than the margin allows, as logarithms; 0 of a pair that
/// did not measure the case.
std::vector<double> excess_of_pairs(const MatchedCase& matched, const Comparison& comparison) {
  std::vector<double> excess(static_cast<std::size_t>(comparison.pairs));
  for (std::size_t i = 0; i < excess.size(); ++i) {
    const CaseRun &base = matched.base[i], &now = matched.now[i];
    if (measured_in(base) && measured_in(now))
      excess[i] =
          std::log(median_ns(*now.result, *now.results) / median_ns(*base.result, *base.results)) -
          std::log1p(comparison.margin.value);
  }
  return excess;
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

/// The largest relative change of a limit of the case's group and threads that moves bytes: it is
/// the machine's and not the code's. Nothing where none was measured on both sides.
std::optional<double> drift_of(const MatchedCase& matched) {
  std::map<std::tuple<std::string, int, bool>, Times> limits;
  const auto add = [&](const std::vector<CaseRun>& runs, std::vector<double> Times::*side) {
    for (const CaseRun& run : runs)
      if (measured_in(run))
        for (const CaseResult& limit : run.group->limits)
          if (measured(limit) && limit.threads == run.result->threads && moved_bytes(limit) > 0)
            (limits[{limit.variant, limit.threads, limit.resident}].*side)
                .push_back(median_ns(limit, *run.results));
  };
  add(matched.base, &Times::base_ns);
  add(matched.now, &Times::now_ns);
  std::optional<double> largest;
  for (const auto& [name, limit] : limits) {
    if (limit.base_ns.empty() || limit.now_ns.empty()) continue;
    const double base = median(limit.base_ns), now = median(limit.now_ns);
    if (base > 0 && now > 0)
      largest = std::max(largest.value_or(0), std::max(now / base, base / now) - 1);
  }
  return largest;
}

Change verdict(const Interval& ratio, double margin) {
  if (ratio.low > 1 + margin) return Change::Regressed;
  if (ratio.high < 1 - margin) return Change::Improved;
  return ratio.low >= 1 - margin && ratio.high <= 1 + margin ? Change::Same : Change::Inconclusive;
}

/// True when the limits changed as much as the case may have.
bool explained_by(double drift, const Interval& ratio) {
  return ratio.low <= 1 + drift && ratio.high >= 1 / (1 + drift);
}

/// True when a typical turn of the slower runs lost the processor more often than its longer time
/// alone makes of the faster ones': by more than three standard deviations of a Poisson process.
bool preempted_more(const std::vector<CaseRun>& slower, const std::vector<CaseRun>& faster) {
  const auto typical = [](const std::vector<CaseRun>& runs, std::int64_t (*of)(const Round&)) {
    std::vector<double> values;
    for (const CaseRun& run : runs)
      if (measured_in(run))
        for (const Round& round : run.result->rounds)
          values.push_back(static_cast<double>(of(round)));
    return median(std::move(values));
  };
  const auto switches = [](const Round& round) { return round.counters.involuntary_switches; };
  const auto wall_ns = [](const Round& round) { return round.wall_ns; };
  const double expected =
      typical(faster, switches) * typical(slower, wall_ns) / typical(faster, wall_ns);
  return typical(slower, switches) > expected + 3 * std::sqrt(expected);
}

/// True when most of the runs that measured the case have it faster than its own limit.
bool above_limit(const std::vector<CaseRun>& runs) {
  const auto measured = std::ranges::count_if(runs, measured_in);
  const auto above = std::ranges::count_if(runs, [](const CaseRun& run) {
    return measured_in(run) && analyse_case(*run.group, *run.result, *run.results).above_limit;
  });
  return 2 * above > measured;
}

/// What is faster than its limit does not do its work, or is not timed rightly: a fault where it
/// came with NEW, and no verdict where BASE has it.
void judge_limits(const MatchedCase& matched, ComparedCase& one) {
  const bool of_base = above_limit(matched.base);
  if (!of_base && !above_limit(matched.now)) return;
  one.why = NoVerdict::AboveLimit;
  one.change = of_base ? Change::Inconclusive : Change::Failed;
  one.certain = !of_base;
}

/// Why the times of a case say nothing about it.
NoVerdict why_not(const MatchedCase& matched, const Comparison& comparison, const Times& times) {
  if (times.base_ns.empty()) return NoVerdict::NotMeasured;
  if (clocks_differ(matched, comparison)) return NoVerdict::ClocksDiffer;
  const bool timed = all_positive(times.base_ns) && all_positive(times.now_ns);
  return timed ? NoVerdict::None : NoVerdict::NoTime;
}

void compare_times(const MatchedCase& matched, const Comparison& comparison, ComparedCase& one) {
  const Times times = times_of(matched, comparison);
  const double margin = comparison.margin.value;
  one.change = Change::Inconclusive;
  one.why = why_not(matched, comparison, times);
  if (!times.base_ns.empty()) {
    one.base_ns = median(times.base_ns);
    one.now_ns = median(times.now_ns);
  }
  if (one.why != NoVerdict::None) return;
  const Effect effect = comparison.run_pairs
                            ? effect_of_pairs(times.base_ns, times.now_ns)
                            : effect_of_rounds(times.base_ns, times.now_ns, margin);
  one.replicates = effect.replicates;
  one.ratio = effect.ratio;
  if (!effect.covered) {
    one.why = comparison.run_pairs ? NoVerdict::TooFewRuns : NoVerdict::TooFewRounds;
    return;
  }
  one.p_value = effect.p_value;
  one.visible = margin + std::exp(half_width(effect.ratio)) - 1;
  one.change = verdict(effect.ratio, margin);
  if (comparison.run_pairs || one.change == Change::Same) return;
  one.drift = drift_of(matched);
  if (one.change == Change::Inconclusive) return;
  if (explained_by(one.drift.value_or(0), effect.ratio))
    one.why = NoVerdict::LimitsChanged;
  else if (effect.ratio.value > 1 ? preempted_more(matched.now, matched.base)
                                  : preempted_more(matched.base, matched.now))
    one.why = NoVerdict::Preempted;
  if (one.why != NoVerdict::None) one.change = Change::Inconclusive;
}

ComparedCase compare_case(const MatchedCase& matched, const Comparison& comparison) {
  ComparedCase one;
  one.name = matched.name;
  one.findings = case_findings(matched);
  const Ending base = ending_of(matched.base), now = ending_of(matched.now);
  const bool had = base.status == Status::Ok, has = now.status == Status::Ok;
  if (had && has) {
    compare_times(matched, comparison, one);
    if (one.visible) judge_limits(matched, one);
    return one;
  }
  one.why = NoVerdict::Ended;
  one.ending = has ? base : now;
  if (had) one.base_ns = median(all_rounds(matched.base));
  if (has) one.now_ns = median(all_rounds(matched.now));
  if (had && now.status == Status::Failed) one.change = Change::Failed;
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

/// Marks as certain the regressed cases that are slower than the margin allows beyond doubt: with
/// at most 5 % false alarms of all cases together. Rounds of too few runs leave doubt, however many
/// they are: what runs of the same code differ by is not in them. `matched`: of the cases.
void decide(Comparison& comparison, const std::vector<MatchedCase>& matched) {
  std::vector<ComparedCase*> judged;
  std::vector<std::vector<double>> excess;
  for (std::size_t i = 0; i < matched.size(); ++i)
    if (comparison.cases[i].visible) {
      judged.push_back(&comparison.cases[i]);
      excess.push_back(excess_of_pairs(matched[i], comparison));
    }
  if (judged.empty()) return;
  if (!comparison.run_pairs)
    return comparison.cautions.push_back(caution::FewRuns{comparison.pairs});
  const std::vector<double> p_values = family_p_values(excess);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    judged[i]->p_value = p_values[i];
    if (judged[i]->change == Change::Regressed) judged[i]->certain = p_values[i] <= kAlpha;
  }
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
  comparison.cautions = setup_cautions(base, now);
  comparison.pairs = static_cast<int>(std::min(base.size(), now.size()));
  comparison.run_pairs = comparison.pairs >= kFewestPairs;
  comparison.margin =
      margin ? Margin{*margin, Margin::Reason::Asked} : margin_of(base, now, comparison.run_pairs);
  MatchedCases matched = match_cases(base, now);
  for (const MatchedCase& one : matched.both)
    comparison.cases.push_back(compare_case(one, comparison));
  comparison.base_only = std::move(matched.base_only);
  comparison.new_only = std::move(matched.new_only);
  decide(comparison, matched.both);
  sort_worst_first(comparison.cases);
  return comparison;
}

Gate gate(const Comparison& comparison) {
  const auto& cases = comparison.cases;
  if (std::ranges::any_of(cases, &ComparedCase::certain)) return Gate::Regressed;
  const bool undecided = std::ranges::any_of(cases, [](const ComparedCase& one) {
    return one.change == Change::Regressed || one.change == Change::Inconclusive ||
           (one.change == Change::NotCompared && one.base_ns);
  });
  const bool decided = std::ranges::any_of(cases, [](const ComparedCase& one) {
    return one.change == Change::Same || one.change == Change::Improved;
  });
  return undecided || !decided || !comparison.base_only.empty() ? Gate::Undecided : Gate::Passed;
}

bool comparable(const Comparison& comparison) {
  return !comparison.cases.empty() &&
         std::ranges::none_of(comparison.differences, &SetupDifference::forbids);
}

int count(const Comparison& comparison, Change change) {
  return static_cast<int>(std::ranges::count(comparison.cases, change, &ComparedCase::change));
}

}  // namespace normbench
