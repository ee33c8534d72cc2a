#include "analysis/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <memory>
#include <string>

#include "analysis/case_analysis.h"
#include "analysis/compare/effect.h"
#include "analysis/measured_group.h"
#include "document/held_up.h"

namespace normbench {
namespace {

constexpr double kAlpha = 0.02;  // largest probability of a false alarm in a whole comparison

/// Returns true if the run measured the case, and other programs did not disturb too many of its
/// rounds (is_busy).
bool measured_in(const CaseRun& run) {
  return run.result != nullptr && measured(*run.result) &&
         !is_busy(*run.result, run.results->clock);
}

/// The times of the two sides: one median per run if pairs of runs are compared, else the time of
/// every round.
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

/// Selects the limits of a group that show how fast the machine was for a case. A limit is a
/// measurement of the machine itself, such as a memory stream. The selected limits run in the same
/// place as the case (host or GPU) and, on the host, with as many threads as the case. They move
/// bytes that do not stay in a cache. Limits that run a lane of a pipeline are left out, since they
/// run stages of the case itself.
struct Beside {
  const GroupResult* group = nullptr;
  const Results* results = nullptr;
  bool on_gpu = false;
  int threads = 0;  // 0 on a GPU

  auto operator<=>(const Beside&) const = default;

  bool has(const CaseResult& limit) const {
    return measured(limit) && !is_busy(limit, results->clock) && !limit.pipeline &&
           !limit.resident && uses_gpu(limit) == on_gpu && (on_gpu || limit.threads == threads) &&
           moved_bytes(limit) + link_bytes(limit) > 0;
  }
};

Beside beside(const CaseRun& run) {
  const bool on_gpu = uses_gpu(*run.result);
  return {run.group, run.results, on_gpu, on_gpu ? 0 : run.result->threads};
}

/// Computes how the machine changed between runs, from the limits that the runs measured. The cases
/// of a group share limits, so each result is computed once and kept.
class Machine {
 public:
  /// Returns the median of ln(time in `now` / time in `base`) over the limits of the case that both
  /// runs have. Returns nothing if they share no limit.
  std::optional<double> change_of_limits(const CaseRun& base, const CaseRun& now) {
    const auto [at, is_new] = changes_.try_emplace({beside(base), beside(now)});
    if (!is_new) return at->second;
    const Medians &before = medians(beside(base)), &after = medians(beside(now));
    std::vector<double> logs;
    for (const auto& [name, ns] : before)
      if (const auto found = after.find(name); found != after.end())
        logs.push_back(std::log(found->second / ns));
    if (!logs.empty()) at->second = median(std::move(logs));
    return at->second;
  }

  /// Returns the largest relative change of a limit of the case between the two sides. Returns
  /// nothing if no limit was measured on both sides.
  std::optional<double> drift_of(const MatchedCase& matched) {
    const std::pair key{all_beside(matched.base), all_beside(matched.now)};
    const auto [at, is_new] = drifts_.try_emplace(key);
    if (is_new) at->second = largest_drift(key.first, key.second);
    return at->second;
  }

  /// Returns true if the case is certainly faster than its own limit in this run.
  bool above_limit(const CaseRun& run) {
    auto& group = groups_[run.group];
    if (group == nullptr) group = std::make_unique<MeasuredGroup>(*run.group, *run.results);
    const auto index = static_cast<int>(run.result - run.group->cases.data());
    return analyse_case(*group, index).above_limit;
  }

 private:
  using Medians = std::map<std::string, double>;  // in ns, by the name of the limit

  static std::vector<Beside> all_beside(const std::vector<CaseRun>& runs) {
    std::vector<Beside> all;
    for (const CaseRun& run : runs)
      if (measured_in(run)) all.push_back(beside(run));
    return all;
  }

  const Medians& medians(const Beside& of) {
    const auto [at, is_new] = medians_.try_emplace(of);
    if (!is_new) return at->second;
    for (const CaseResult& limit : of.group->limits)
      if (const double ns = of.has(limit) ? median_ns(limit, *of.results) : 0; ns > 0)
        at->second.emplace(limit.variant, ns);
    return at->second;
  }

  std::optional<double> largest_drift(const std::vector<Beside>& base,
                                      const std::vector<Beside>& now) {
    std::map<std::string, Times> limits;
    for (const Beside& one : base)
      for (const auto& [name, ns] : medians(one)) limits[name].base_ns.push_back(ns);
    for (const Beside& one : now)
      for (const auto& [name, ns] : medians(one)) limits[name].now_ns.push_back(ns);
    std::optional<double> largest;
    for (const auto& [name, limit] : limits) {
      if (limit.base_ns.empty() || limit.now_ns.empty()) continue;
      const double before = median(limit.base_ns), after = median(limit.now_ns);
      largest = std::max(largest.value_or(0), std::max(after / before, before / after) - 1);
    }
    return largest;
  }

  std::map<Beside, Medians> medians_;
  std::map<std::pair<Beside, Beside>, std::optional<double>> changes_;
  std::map<std::pair<std::vector<Beside>, std::vector<Beside>>, std::optional<double>> drifts_;
  std::map<const GroupResult*, std::unique_ptr<MeasuredGroup>> groups_;
};

/// A pair of runs that both measured the case.
struct MeasuredPair {
  std::size_t number;  // index of the pair among all pairs
  double base_ns, now_ns;
  std::optional<double> limits;  // ln(limits' time in NEW / in BASE); nothing without shared limits
};

std::vector<MeasuredPair> measured_pairs(const MatchedCase& matched, int pairs, Machine& machine) {
  std::vector<MeasuredPair> measured;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pairs); ++i) {
    const CaseRun &base = matched.base[i], &now = matched.now[i];
    if (measured_in(base) && measured_in(now))
      measured.push_back({.number = i,
                          .base_ns = median_ns(*base.result, *base.results),
                          .now_ns = median_ns(*now.result, *now.results),
                          .limits = machine.change_of_limits(base, now)});
  }
  return measured;
}

Times times_of(const std::vector<MeasuredPair>& pairs) {
  Times times;
  for (const MeasuredPair& pair : pairs) {
    times.base_ns.push_back(pair.base_ns);
    times.now_ns.push_back(pair.now_ns);
  }
  return times;
}

bool all_positive(const std::vector<double>& times) {
  return std::ranges::all_of(times, [](double ns) { return ns > 0; });
}

/// Returns true if cases are compared by their device times and only one side has device times.
/// Device times and wall times cannot be compared.
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

/// Returns the largest relative change of a case that a relative change `drift` of its limits may
/// explain. The factor 1 + `drift` is squared, because cases use the machine in other ways than the
/// limits do and may change more.
double explained_by(double drift) { return (1 + drift) * (1 + drift) - 1; }

/// Returns true if a relative change `drift` of the limits may explain the whole `ratio` of the
/// case.
bool explained_by(double drift, const Interval& ratio) {
  const double most = 1 + explained_by(drift);
  return ratio.low <= most && ratio.high >= 1 / most;
}

/// Returns true if the slower side lost the processor more often than its longer time explains. The
/// expected number of involuntary switches is the median per turn of the faster side, multiplied by
/// the ratio of the median wall times. The median of the slower side must exceed the expected
/// number by more than three standard deviations of a Poisson distribution.
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

/// Returns true if the case is faster than its own limit in most runs that measured it.
bool above_limit(const std::vector<CaseRun>& runs, Machine& machine) {
  const auto measured = std::ranges::count_if(runs, measured_in);
  const auto above = std::ranges::count_if(
      runs, [&](const CaseRun& run) { return measured_in(run) && machine.above_limit(run); });
  return 2 * above > measured;
}

/// Judges a case that is faster than its limit: it does not do its work, or is timed wrongly. If it
/// is faster than its limit in BASE, it gets no verdict. If only in NEW, it has failed.
void judge_limits(const MatchedCase& matched, Machine& machine, ComparedCase& one) {
  const bool of_base = above_limit(matched.base, machine);
  if (!of_base && !above_limit(matched.now, machine)) return;
  one.why = NoVerdict::AboveLimit;
  one.change = of_base ? Change::Inconclusive : Change::Failed;
  one.certain = !of_base;
}

/// Returns why the times of a case give no verdict; None if they give one.
NoVerdict why_not(const MatchedCase& matched, const Comparison& comparison, const Times& times) {
  if (times.base_ns.empty() || times.now_ns.empty()) return NoVerdict::NotMeasured;
  if (clocks_differ(matched, comparison)) return NoVerdict::ClocksDiffer;
  const bool timed = all_positive(times.base_ns) && all_positive(times.now_ns);
  return timed ? NoVerdict::None : NoVerdict::NoTime;
}

/// A case and its input to family_p_values(). `excess` has a value for each pair of runs: how far
/// ln(new time / base time) lies above the largest logarithm that counts as no change. The value is
/// 0 for a pair that did not measure the case. `excess` is empty if the pairs give no verdict, or
/// if the upper end of the interval ComparedCase::deciding() still counts as no change.
struct JudgedCase {
  ComparedCase one;
  std::vector<double> excess;
};

/// Returns true if the limits certainly changed by more than the margin. `limits` has the log ratio
/// of their times for each pair of runs.
bool limits_changed(const std::vector<double>& limits, double margin) {
  const Change change = verdict(effect_of_pairs(limits).ratio, margin);
  return change == Change::Regressed || change == Change::Improved;
}

/// Judges a case by pairs of runs. `judged.one` must not have a verdict yet.
void judge_pairs(const MatchedCase& matched, const Comparison& comparison,
                 const std::vector<MeasuredPair>& pairs, Machine& machine, JudgedCase& judged) {
  ComparedCase& one = judged.one;
  const double margin = comparison.margin.value;
  std::vector<double> logs, limits, over_limits;
  for (const MeasuredPair& pair : pairs) {
    logs.push_back(std::log(pair.now_ns / pair.base_ns));
    if (!pair.limits) continue;
    limits.push_back(*pair.limits);
    over_limits.push_back(logs.back() - *pair.limits);
  }
  const Effect effect = effect_of_pairs(logs);
  one.replicates = effect.replicates;
  one.ratio = effect.ratio;
  if (!effect.covered) {
    one.why = NoVerdict::TooFewRuns;
    return;
  }
  double no_change = margin;
  const bool have_limits = limits.size() == logs.size();
  if (have_limits && limits_changed(limits, margin)) {
    one.drift = machine.drift_of(matched);
    no_change = std::max(margin, explained_by(*one.drift));
  } else if (have_limits && comparison.same_limits) {
    const Interval ratio = effect_of_pairs(over_limits).ratio;
    if (half_width(ratio) < half_width(effect.ratio)) {
      one.over_limits = ratio;
      logs = over_limits;
    }
  }
  one.visible = margin + std::exp(half_width(one.deciding())) - 1;
  one.change = verdict(one.deciding(), margin);
  if (one.drift && one.change != Change::Inconclusive && explained_by(*one.drift, *one.ratio)) {
    one.change = Change::Inconclusive;
    one.why = NoVerdict::LimitsChanged;
  }
  one.certain = one.change == Change::Same || one.change == Change::Improved;
  if (one.deciding().high <= 1 + no_change) return;
  judged.excess.resize(static_cast<std::size_t>(comparison.pairs));
  for (std::size_t i = 0; i < pairs.size(); ++i)
    judged.excess[pairs[i].number] = logs[i] - std::log1p(no_change);
}

/// Judges a case by the rounds of all runs. The verdict is never certain. `one` must not have a
/// verdict yet.
void judge_rounds(const MatchedCase& matched, const Times& times, double margin, Machine& machine,
                  ComparedCase& one) {
  const Effect effect = effect_of_rounds(times.base_ns, times.now_ns, margin);
  one.replicates = effect.replicates;
  one.ratio = effect.ratio;
  if (!effect.covered) {
    one.why = NoVerdict::TooFewRounds;
    return;
  }
  one.p_value = effect.p_value;
  one.visible = margin + std::exp(half_width(effect.ratio)) - 1;
  one.change = verdict(effect.ratio, margin);
  if (one.change == Change::Same) return;
  one.drift = machine.drift_of(matched);
  if (one.change == Change::Inconclusive) return;
  if (explained_by(one.drift.value_or(0), effect.ratio))
    one.why = NoVerdict::LimitsChanged;
  else if (effect.ratio.value > 1 ? preempted_more(matched.now, matched.base)
                                  : preempted_more(matched.base, matched.now))
    one.why = NoVerdict::Preempted;
  if (one.why != NoVerdict::None) one.change = Change::Inconclusive;
}

void compare_times(const MatchedCase& matched, const Comparison& comparison, Machine& machine,
                   JudgedCase& judged) {
  ComparedCase& one = judged.one;
  std::vector<MeasuredPair> pairs;
  if (comparison.run_pairs) pairs = measured_pairs(matched, comparison.pairs, machine);
  const Times times = comparison.run_pairs
                          ? times_of(pairs)
                          : Times{all_rounds(matched.base), all_rounds(matched.now)};
  one.change = Change::Inconclusive;
  one.why = why_not(matched, comparison, times);
  if (!times.base_ns.empty()) one.base_ns = median(times.base_ns);
  if (!times.now_ns.empty()) one.now_ns = median(times.now_ns);
  if (one.why != NoVerdict::None) return;
  if (comparison.run_pairs)
    judge_pairs(matched, comparison, pairs, machine, judged);
  else
    judge_rounds(matched, times, comparison.margin.value, machine, one);
  if (one.visible) judge_limits(matched, machine, one);
}

JudgedCase compare_case(const MatchedCase& matched, const Comparison& comparison,
                        Machine& machine) {
  JudgedCase judged;
  ComparedCase& one = judged.one;
  one.name = matched.name;
  one.findings = case_findings(matched);
  const Ending base = ending_of(matched.base), now = ending_of(matched.now);
  const bool had = base.status == Status::Ok, has = now.status == Status::Ok;
  if (had && has) {
    compare_times(matched, comparison, machine, judged);
    return judged;
  }
  one.why = NoVerdict::Ended;
  one.ending = has ? base : now;
  if (had) one.base_ns = median(all_rounds(matched.base));
  if (has) one.now_ns = median(all_rounds(matched.now));
  if (had && now.status == Status::Failed) one.change = Change::Failed;
  one.certain = one.change == Change::Failed;
  return judged;
}

/// Returns the ratio by which cases with the same verdict are sorted; 0 without a ratio.
double worth(const ComparedCase& one) { return one.ratio ? one.deciding().value : 0; }

void sort_worst_first(std::vector<ComparedCase>& cases) {
  std::ranges::stable_sort(cases, [](const ComparedCase& a, const ComparedCase& b) {
    if (a.change != b.change) return a.change < b.change;
    if (a.certain != b.certain) return a.certain;
    return worth(a) > worth(b);
  });
}

/// Computes the p-values of all judged cases. Marks a regressed case as certain if its p-value is
/// at most kAlpha. With this threshold, the probability of a false alarm in the whole comparison is
/// at most kAlpha.
void decide(std::vector<JudgedCase>& cases) {
  std::vector<ComparedCase*> judged;
  std::vector<std::vector<double>> excess;
  for (JudgedCase& one : cases) {
    if (one.excess.empty()) continue;
    judged.push_back(&one.one);
    excess.push_back(std::move(one.excess));
  }
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
  comparison.same_limits = built_alike(comparison.differences);
  comparison.cautions = setup_cautions(base, now);
  comparison.pairs = static_cast<int>(std::min(base.size(), now.size()));
  comparison.run_pairs = comparison.pairs >= kFewestPairs;
  comparison.margin =
      margin ? Margin{*margin, Margin::Reason::Asked} : margin_of(base, now, comparison.run_pairs);
  MatchedCases matched = match_cases(base, now);
  std::vector<JudgedCase> cases;
  Machine machine;
  for (const MatchedCase& one : matched.both)
    cases.push_back(compare_case(one, comparison, machine));
  decide(cases);
  for (JudgedCase& one : cases) comparison.cases.push_back(std::move(one.one));
  // Rounds do not show how much runs of the same code differ. So there is a caution if a case was
  // judged by rounds.
  if (!comparison.run_pairs && std::ranges::any_of(comparison.cases, [](const ComparedCase& one) {
        return one.visible.has_value();
      }))
    comparison.cautions.push_back(caution::FewRuns{comparison.pairs});
  comparison.base_only = std::move(matched.base_only);
  comparison.new_only = std::move(matched.new_only);
  sort_worst_first(comparison.cases);
  return comparison;
}

Gate gate(const Comparison& comparison) {
  const auto& cases = comparison.cases;
  if (std::ranges::any_of(cases, &ComparedCase::fails_gate)) return Gate::Regressed;
  const bool undecided = std::ranges::any_of(cases, [](const ComparedCase& one) {
    return !one.certain && (one.change != Change::NotCompared || one.base_ns);
  });
  const bool decided = std::ranges::any_of(cases, &ComparedCase::certain);
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
