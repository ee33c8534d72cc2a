#include <algorithm>
#include <limits>
#include <map>

#include "analysis/analysis.h"

namespace normbench {
namespace {

// A case counts as slow, and its time is explained, if it takes at least this multiple of the
// fastest case's time.
constexpr double kSlow = 1.1;

/// Returns the indices of the measured cases, the fastest first. Leaves out cases that are faster
/// than their limits, since one of the two times must be wrong.
std::vector<int> ranking(const GroupAnalysis& analysis) {
  std::vector<int> ranked;
  for (int i = 0; i < static_cast<int>(analysis.cases.size()); ++i)
    if (analysis.cases[i].time_ns && !analysis.cases[i].above_limit) ranked.push_back(i);
  std::ranges::stable_sort(ranked, {}, [&](int i) { return analysis.cases[i].time_ns->value; });
  return ranked;
}

/// Returns the winner's advantage over the baseline. If the winner is the baseline, or the baseline
/// is not ranked, returns the winner's advantage over the next fastest case.
Advantage advantage(const GroupResult& group, const GroupAnalysis& analysis, int first, int next) {
  const auto& of_baseline = analysis.cases[first].ratio;
  const int baseline = index_of(group, group.baseline);
  const bool over_baseline =
      of_baseline && first != baseline && !analysis.cases[baseline].above_limit;
  const Interval ratio = over_baseline ? *of_baseline : analysis.pairs.of(first, next)->ratio;
  return {.factor = 1 / ratio.value,
          .low = 1 / ratio.high,
          .high = 1 / ratio.low,
          .over = over_baseline ? baseline : next,
          .of_baseline = over_baseline};
}

/// Returns the pairs of the first of these cases with the others.
std::vector<Pair> pairs_with_first(const Pairs& pairs, const std::vector<int>& cases) {
  std::vector<Pair> found;
  for (const int other : cases)
    if (auto pair = pairs.of(cases.front(), other)) found.push_back(*std::move(pair));
  return found;
}

/// Raises `widest` and `visible` to the largest values of these pairs. Returns true if every pair
/// is a tie.
bool compare_all(const std::vector<Pair>& pairs, double precision, Verdict& verdict) {
  for (const Pair& pair : pairs) {
    verdict.widest = std::max(verdict.widest, widest_difference(pair));
    verdict.visible = std::max(verdict.visible, visible_difference(pair, precision));
  }
  return std::ranges::all_of(pairs, [&](const Pair& p) { return is_tie(p, precision); });
}

/// Replaces compare_all() if there are so many cases that only the pairs with the first case are
/// computed. The ratio of any two cases is bounded by the intervals of their ratios to the first
/// case. So `widest` and `visible` are upper bounds for all pairs. Returns true if the intervals
/// imply that every pair is a tie.
bool compare_through_first(const std::vector<Pair>& with_first, double precision,
                           Verdict& verdict) {
  double lowest = 1, highest = 1, highest_low = 1, lowest_high = 1;  // 1: the first case itself
  double widest_half = 0, most_margin = precision, effect = 0;
  for (const Pair& pair : with_first) {
    lowest = std::min(lowest, pair.ratio.low);
    highest = std::max(highest, pair.ratio.high);
    highest_low = std::max(highest_low, pair.ratio.low);
    lowest_high = std::min(lowest_high, pair.ratio.high);
    widest_half = std::max(widest_half, half_width(pair.ratio));
    most_margin = std::max(most_margin, margin_of(pair, precision));
    effect = std::max(effect, pair.process_effect);
  }
  verdict.widest = std::max(highest / lowest - 1, effect);
  verdict.visible = most_margin + std::exp(2 * widest_half) - 1;
  return std::ranges::all_of(with_first, &Pair::covered) &&
         highest_low / lowest_high <= 1 + precision && widest_half <= precision;
}

/// Returns the least factor by which all of these cases are certainly faster than the baseline.
/// Returns nothing if the baseline is one of them, or if one of them is not certainly faster.
std::optional<double> least_advantage(const GroupResult& group, const GroupAnalysis& analysis,
                                      const std::vector<int>& cases) {
  const int baseline = index_of(group, group.baseline);
  if (baseline < 0 || analysis.cases[baseline].above_limit) return std::nullopt;
  double least = std::numeric_limits<double>::infinity();
  for (const int i : cases) {
    const auto pair = i == baseline ? std::nullopt : analysis.pairs.of(i, baseline);
    if (!pair || !faster(*pair)) return std::nullopt;
    least = std::min(least, 1 / pair->ratio.high);
  }
  return least;
}

/// Compares the cases in `fastest` with each other, and sets the outcome to Tie or Inconclusive.
void add_undecided(const GroupAnalysis& analysis, double precision, Verdict& verdict) {
  const bool are_many = verdict.fastest.size() > Pairs::most_in_full;
  const std::vector<Pair> pairs = are_many ? pairs_with_first(analysis.pairs, verdict.fastest)
                                           : analysis.pairs.among(verdict.fastest);
  verdict.rounds = std::ranges::min(pairs, {}, &Pair::rounds).rounds;
  const bool tied = are_many ? compare_through_first(pairs, precision, verdict)
                             : compare_all(pairs, precision, verdict);
  verdict.outcome = tied ? Outcome::Tie : Outcome::Inconclusive;
  verdict.covered = std::ranges::all_of(pairs, &Pair::covered);
  const int first = verdict.fastest[0];
  verdict.always_first = std::ranges::all_of(verdict.fastest, [&](int i) {
    return i == first || analysis.pairs.of(first, i)->ratio.high < 1 - precision;
  });
}

void rank(const GroupResult& group, const GroupAnalysis& analysis, const Results& results,
          const std::vector<int>& ranked, Verdict& verdict) {
  const bool too_fast = std::ranges::any_of(analysis.cases, &CaseAnalysis::above_limit);
  if (too_fast && ranked.size() < 2) {
    verdict.outcome = Outcome::TooFast;
    return;
  }
  if (ranked.empty()) {
    // Under a profiling tool, a run has no rounds unless an option asks for them. So cases that ran
    // have no times.
    if (results.traced && std::ranges::count(group.cases, Status::Ok, &CaseResult::status) > 0)
      verdict.outcome = Outcome::Traced;
    return;
  }
  if (analysis.busy && !results.traced) {
    verdict.outcome = Outcome::Busy;
    return;
  }
  verdict.outcome = Outcome::Alone;
  if (ranked.size() == 1) {
    verdict.fastest = ranked;
    return;
  }
  verdict.outcome = Outcome::Traced;
  if (results.traced) return;
  verdict.outcome = Outcome::Unfair;
  verdict.unlike = unlike_ends(group);
  if (verdict.unlike) return;
  for (const int i : ranked)
    if (i == ranked[0] || !faster(*analysis.pairs.of(ranked[0], i))) verdict.fastest.push_back(i);
  if (verdict.fastest.size() > 1) {
    verdict.lead = least_advantage(group, analysis, verdict.fastest);
    return add_undecided(analysis, precision_of(group, results), verdict);
  }
  verdict.outcome = Outcome::Winner;
  verdict.winner = group.cases[ranked[0]].variant;
  verdict.advantage = advantage(group, analysis, ranked[0], ranked[1]);
}

void add_bound(const GroupResult& group, const GroupAnalysis& analysis,
               const MeasuredDocument& document, Verdict& verdict) {
  const int winner = verdict.fastest[0];
  const CaseAnalysis& fastest = analysis.cases[winner];
  if (fastest.of_limit && fastest.of_limit->value >= at_limit)
    verdict.at_limit = limit_kind(group, fastest.limit);
  if (verdict.at_limit == LimitKind::Memory && !bytes_decide({group, fastest, winner, document}))
    verdict.at_limit.reset();
  verdict.bound = explain(group, fastest, winner, document);
}

/// Returns the baseline if it is slow, else the slowest case; -1 if neither is certainly slow.
int slow_case(const GroupResult& group, const GroupAnalysis& analysis,
              const std::vector<int>& ranked, int fastest) {
  const auto slow = [&](int i) {
    const auto pair = analysis.pairs.of(i, fastest);
    return pair && pair->different && pair->ratio.value >= kSlow;
  };
  for (const int i : ranked)
    if (group.cases[i].variant == group.baseline && slow(i)) return i;
  return slow(ranked.back()) ? ranked.back() : -1;
}

/// If cases are compared by their times on the device, sets `on_wall_clock` to the cases without
/// device time, and `host_left_out` to the cases that have device time and also host stages.
void add_left_out_by_the_clock(const GroupResult& group, const Results& results, Verdict& verdict) {
  if (results.clock != DecidingClock::Device) return;
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i) {
    const CaseResult& result = group.cases[i];
    if (!measured(result)) continue;
    if (!device_ns(result))
      verdict.on_wall_clock.push_back(i);
    else if (std::ranges::find(result.stages, Place::Cpu, &StageResult::place) !=
             result.stages.end())
      verdict.host_left_out.push_back(i);
  }
}

/// Returns the skipped cases that would move the fewest and the most bytes over the link. Returns
/// nothing unless at least two skipped cases would move different numbers of bytes.
std::optional<LinkArithmetic> link_arithmetic(const GroupResult& group) {
  // Maps a number of bytes to the first skipped variant that would move that many.
  std::map<std::int64_t, std::string> carried;
  for (const CaseResult& result : group.cases)
    if (const std::int64_t bytes = link_bytes(result);
        result.status == Status::Skipped && bytes > 0)
      carried.emplace(bytes, result.variant);
  if (carried.size() < 2) return std::nullopt;
  const auto& [least, lean] = *carried.begin();
  const auto& [most, rich] = *carried.rbegin();
  return LinkArithmetic{lean, rich, least, most};
}

}  // namespace

Verdict judge(const GroupResult& group, const GroupAnalysis& analysis,
              const MeasuredDocument& document) {
  const Results& results = document.results();
  Verdict verdict;
  const std::vector<int> ranked = ranking(analysis);
  rank(group, analysis, results, ranked, verdict);
  const bool one = verdict.outcome == Outcome::Winner || verdict.outcome == Outcome::Alone;
  if (one || (!verdict.fastest.empty() && analysis.cases[verdict.fastest[0]].pipeline))
    add_bound(group, analysis, document, verdict);
  if (!verdict.fastest.empty()) {
    const int fastest = verdict.fastest[0];
    if (const int slow = slow_case(group, analysis, ranked, fastest); slow >= 0)
      verdict.slow = {slow, explain_slow(group, analysis.cases[slow], slow, fastest, document),
                      factors(group.cases[slow], group.cases[fastest])};
    const auto baseline = std::ranges::find(group.cases, group.baseline, &CaseResult::variant);
    if (const auto pair =
            analysis.pairs.of(fastest, static_cast<int>(baseline - group.cases.begin())))
      verdict.preparing = preparing_cost(group, *pair, fastest);
  }
  add_left_out_by_the_clock(group, results, verdict);
  verdict.link = link_arithmetic(group);
  verdict.claims = judge_claims(group, analysis, results);
  if (!results.traced) verdict.pinning = pinning_cost(group, results);
  return verdict;
}

}  // namespace normbench
