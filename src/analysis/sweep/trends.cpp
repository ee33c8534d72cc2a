#include "analysis/sweep/trends.h"

#include <algorithm>

namespace normbench {
namespace {

Judgement::Outcome outcome_of(Trend claimed, const Interval& first, const Interval& last) {
  using enum Judgement::Outcome;
  constexpr double about = 1.1;
  if (first.high < 1 || last.high < 1) return Contradicted;
  const bool grows = last.low > first.high, shrinks = last.high < first.low;
  switch (claimed) {
    case Trend::Grows:
      return grows ? Confirmed : shrinks ? Contradicted : Inconclusive;
    case Trend::Shrinks:
      return shrinks ? Confirmed : grows ? Contradicted : Inconclusive;
    case Trend::Stays:
      if (last.high < about * first.low && last.low * about > first.high) return Confirmed;
      return last.low > about * first.high || last.high * about < first.low ? Contradicted
                                                                            : Inconclusive;
  }
  return Inconclusive;
}

/// Returns the judgement of a claim about a trend that has fewer than two measured points. The
/// outcome is Interrupted if the run was interrupted and both sides of the claim were compared in
/// every measured group that the claim is about. Otherwise it is NotRun.
TrendJudgement without_points(const Experiment& experiment, const Claim& claim, const Json& fixed,
                              const Results& results) {
  bool is_here = true;
  for (std::size_t i = 0; i < experiment.groups.size(); ++i) {
    const GroupResult& group = *experiment.groups[i];
    if (agree(fixed, group.point) && agree(claim.point, group.point))
      is_here = is_here && experiment.analyses[i].pairs.of(index_of(group, claim.left),
                                                           index_of(group, claim.right));
  }
  using enum Judgement::Outcome;
  return {.claim = claim,
          .outcome = results.interrupted && is_here ? Interrupted : NotRun,
          .fixed = fixed,
          .first = {},
          .last = {}};
}

TrendJudgement judge_line(const Experiment& experiment, const Claim& claim, const AxisLine& line,
                          const Results& results) {
  TrendJudgement judgement{.claim = claim, .fixed = line.fixed, .first = {}, .last = {}};
  std::size_t points = 0;
  bool first_covered = false, last_covered = false;
  for (const AxisLine::Point& point : line.points) {
    const GroupResult& group = *experiment.groups[point.group];
    const auto pair = experiment.analyses[point.group].pairs.of(index_of(group, claim.left),
                                                                index_of(group, claim.right));
    if (!pair) continue;
    last_covered = pair->covered;
    judgement.last = claimed_ratio(*pair, claim.relation);
    judgement.to = point.value;
    if (points++ == 0) {
      first_covered = pair->covered;
      judgement.first = judgement.last;
      judgement.from = point.value;
    }
  }
  if (points < 2) return without_points(experiment, claim, line.fixed, results);
  judgement.outcome = first_covered && last_covered
                          ? outcome_of(claim.across->trend, judgement.first, judgement.last)
                          : Judgement::Outcome::Inconclusive;
  return judgement;
}

/// Returns the claims about trends, without duplicates.
std::vector<Claim> trend_claims(const Experiment& experiment) {
  std::vector<Claim> claims;
  for (const GroupResult* group : experiment.groups)
    for (const Claim& claim : group->claims)
      if (claim.across && std::ranges::find(claims, claim) == claims.end()) claims.push_back(claim);
  return claims;
}

}  // namespace

std::vector<TrendJudgement> judge_trends(const Experiment& experiment, const Results& results) {
  if (results.traced) return {};
  std::vector<TrendJudgement> judgements;
  const std::vector<AxisLine> lines = axis_lines(experiment);
  for (const Claim& claim : trend_claims(experiment)) {
    const std::size_t before = judgements.size();
    for (const AxisLine& line : lines)
      if (line.axis == claim.across->axis && agree(claim.point, line.fixed))
        judgements.push_back(judge_line(experiment, claim, line, results));
    if (judgements.size() == before)
      judgements.push_back(without_points(experiment, claim, Json::object(), results));
  }
  return judgements;
}

}  // namespace normbench
