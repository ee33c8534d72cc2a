#include "analysis/sweep/trends.h"

#include <algorithm>
#include <span>

namespace normbench {
namespace {

/// True where the ratio surely does so from its first point to its last; small changes may both
/// grow and stay.
bool does(Trend trend, const Interval& first, const Interval& last) {
  constexpr double about = 1.1;
  switch (trend) {
    case Trend::Grows:
      return last.low > first.high;
    case Trend::Shrinks:
      return last.high < first.low;
    case Trend::Stays:
      return last.high < about * first.low && last.low * about > first.high;
  }
  return false;
}

Judgement::Outcome outcome_of(Trend claimed, const Interval& first, const Interval& last) {
  using enum Judgement::Outcome;
  if (does(claimed, first, last)) return Confirmed;
  const bool another = std::ranges::any_of(
      words(Trend{}), [&](const Word<Trend>& word) { return does(word.value, first, last); });
  return another ? Contradicted : Inconclusive;
}

TrendJudgement judge_line(const Experiment& experiment, const Claim& claim, const AxisLine& line) {
  TrendJudgement judgement{.claim = claim, .fixed = line.fixed, .first = {}, .last = {}};
  std::size_t points = 0;
  bool covered = true;
  for (const AxisLine::Point& point : line.points) {
    const GroupResult& group = *experiment.groups[point.group];
    const auto pair = pair_of(experiment.analyses[point.group].pairs, index_of(group, claim.left),
                              index_of(group, claim.right));
    if (!pair) continue;
    covered = covered && pair->covered;
    judgement.last = claimed_ratio(*pair, claim.relation);
    judgement.to = point.value;
    if (points++ == 0) {
      judgement.first = judgement.last;
      judgement.from = point.value;
    }
  }
  if (points < 2) return {.claim = claim, .fixed = line.fixed, .first = {}, .last = {}};
  judgement.outcome = covered ? outcome_of(claim.across->trend, judgement.first, judgement.last)
                              : Judgement::Outcome::Inconclusive;
  return judgement;
}

/// The claims of a trend, each once; none of a traced run.
std::vector<Claim> trend_claims(const Experiment& experiment) {
  std::vector<Claim> claims;
  for (std::size_t g = 0; g < experiment.groups.size(); ++g)
    for (const Claim& claim : std::span(experiment.groups[g]->claims)
                                  .first(experiment.analyses[g].verdict.claims.size()))
      if (claim.across && std::ranges::find(claims, claim) == claims.end()) claims.push_back(claim);
  return claims;
}

}  // namespace

std::vector<TrendJudgement> judge_trends(const Experiment& experiment) {
  std::vector<TrendJudgement> judgements;
  const std::vector<AxisLine> lines = axis_lines(experiment);
  for (const Claim& claim : trend_claims(experiment)) {
    const std::size_t before = judgements.size();
    for (const AxisLine& line : lines)
      if (line.axis == claim.across->axis && agree(claim.point, line.fixed))
        judgements.push_back(judge_line(experiment, claim, line));
    if (judgements.size() == before)
      judgements.push_back({.claim = claim, .first = {}, .last = {}});
  }
  return judgements;
}

}  // namespace normbench
