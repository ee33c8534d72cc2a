#include "analysis/rank.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/pairs.h"
#include "analysis/words.h"
#include "core/units.h"

namespace normbench {

namespace {

std::string names(const GroupResult& group, std::vector<int> indices) {
  std::ranges::sort(indices);
  std::vector<std::string> items;
  for (const int i : indices) items.push_back(spoken(group.cases[i].variant));
  return enumerate(items);
}

/// "34.0x (33.6-34.4) the baseline", or "1.40x (1.38-1.42) the next, B" of the baseline itself.
std::string advantage(const GroupResult& group, const GroupAnalysis& analysis,
                      const std::vector<int>& ranked) {
  const int first = ranked[0];
  std::optional<Interval> ratio = analysis.cases[first].ratio;
  std::string over = "the baseline";
  if (!ratio || group.cases[first].variant == group.baseline) {
    const auto next = pair_of(analysis.pairs, first, ranked[1]);
    ratio = next->ratio;
    over = "the next, " + spoken(group.cases[ranked[1]].variant);
  }
  const auto number = [](double value) { return format_significant(value, value < 1 ? 2 : 3); };
  return fmt::format("{} ({}-{}) {}", factor(1 / ratio->value), number(1 / ratio->high),
                     number(1 / ratio->low), over);
}

/// A run under a tool leaves its rounds out, unless it is told not to.
std::string nothing_measured(const GroupResult& group, const Results& results, Verdict& verdict) {
  const bool checked = std::ranges::any_of(
      group.cases, [](const CaseResult& result) { return result.status == Status::Ok; });
  if (!results.traced || !checked) return "Nothing could be measured here.";
  verdict.outcome = Outcome::Traced;
  const Json tool = results.environment.value("attached_tool", Json());
  return fmt::format("Measured nothing: {} is attached (--measure measures all the same).",
                     tool.is_string() ? tool.get<std::string>() : "a profiling tool");
}

std::vector<Pair> pairs_among(const GroupAnalysis& analysis, const std::vector<int>& indices) {
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < indices.size(); ++a)
    for (std::size_t b = a + 1; b < indices.size(); ++b)
      pairs.push_back(*pair_of(analysis.pairs, indices[a], indices[b]));
  return pairs;
}

/// What the rounds suggest where they are too few for an interval: all of them may agree.
std::string too_few_rounds(const GroupResult& group, const GroupAnalysis& analysis,
                           double precision, const std::vector<int>& fastest) {
  const std::size_t rounds = group.cases[fastest[0]].rounds.size();
  const bool every_round = std::ranges::all_of(fastest, [&](int i) {
    return i == fastest[0] || pair_of(analysis.pairs, fastest[0], i)->ratio.high < 1 - precision;
  });
  if (every_round)
    return fmt::format("Probably fastest: {}, in each of {} rounds; too few to be sure.",
                       spoken(group.cases[fastest[0]].variant), rounds);
  return fmt::format("Inconclusive between {}: too few rounds ({}).", names(group, fastest),
                     rounds);
}

/// How the cases that nothing beats stand to each other; sets the outcome.
std::string undecided(const GroupResult& group, const GroupAnalysis& analysis, double precision,
                      Verdict& verdict) {
  const std::vector<Pair> pairs = pairs_among(analysis, verdict.fastest);
  const std::string fastest = names(group, verdict.fastest);
  double widest = 0, visible = 0;
  for (const Pair& pair : pairs) {
    widest = std::max(widest, widest_difference(pair));
    visible = std::max(visible, visible_difference(pair, precision));
  }
  if (std::ranges::all_of(pairs, [&](const Pair& pair) { return is_tie(pair, precision); })) {
    verdict.outcome = Outcome::Tie;
    return fmt::format("Fastest: {}, no difference larger than {}.", fastest,
                       format_percent(widest));
  }
  verdict.outcome = Outcome::Inconclusive;
  if (std::ranges::all_of(pairs, &Pair::covered))
    return fmt::format("Inconclusive between {}: could have seen {}.", fastest,
                       format_percent(visible));
  return too_few_rounds(group, analysis, precision, verdict.fastest);
}

}  // namespace

std::vector<int> ranking(const GroupResult& group, const GroupAnalysis& analysis) {
  std::vector<int> ranked;
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i)
    if (analysis.cases[i].time_ns) ranked.push_back(i);
  std::ranges::stable_sort(ranked, {}, [&](int i) { return analysis.cases[i].time_ns->value; });
  return ranked;
}

std::string rank(const GroupResult& group, const GroupAnalysis& analysis, const Results& results,
                 Verdict& verdict) {
  const std::vector<int> ranked = ranking(group, analysis);
  if (ranked.empty()) return nothing_measured(group, results, verdict);
  verdict.outcome = Outcome::Alone;
  if (ranked.size() == 1) {
    verdict.fastest = ranked;
    return fmt::format("Only {} ran: {} ms a batch", names(group, ranked),
                       format_ms(analysis.cases[ranked[0]].time_ns->value));
  }
  verdict.outcome = Outcome::Traced;
  if (results.traced) return "A profiling tool was attached: nothing is ranked.";
  verdict.outcome = Outcome::Unfair;
  if (const std::string why = unfair(group); !why.empty())
    return fmt::format("No winner, the outputs are not alike: {}.", why);
  for (const int i : ranked)
    if (i == ranked[0] || !faster(*pair_of(analysis.pairs, ranked[0], i)))
      verdict.fastest.push_back(i);
  if (verdict.fastest.size() == 1) {
    verdict.outcome = Outcome::Winner;
    verdict.winner = group.cases[ranked[0]].variant;
    verdict.advantage = advantage(group, analysis, ranked);
    return fmt::format("Fastest: {}, {}", spoken(verdict.winner), verdict.advantage);
  }
  return undecided(group, analysis, results.precision, verdict);
}

}  // namespace normbench
