#include "analysis/why/claims.h"

#include <algorithm>

#include "analysis/analysis.h"

namespace normbench {
namespace {

struct Step {
  std::vector<Factor> factors;
  int from = 0, to = 0;
};

bool all_among(const std::vector<Factor>& some, const std::vector<Factor>& all) {
  return std::ranges::all_of(
      some, [&](const Factor& factor) { return std::ranges::find(all, factor) != all.end(); });
}

/// Returns two steps from `a` to `b` by way of a third measured case. `all` has the factors in
/// which `a` and `b` differ. Each of them changes in exactly one of the steps, and one of the steps
/// changes a single factor. Returns an empty list if there is no such case.
std::vector<Step> way(const GroupResult& group, int a, int b, const std::vector<Factor>& all) {
  for (int c = 0; c < static_cast<int>(group.cases.size()); ++c) {
    if (c == a || c == b || !measured(group.cases[c])) continue;
    Step first{factors(group.cases[a], group.cases[c]), a, c};
    Step second{factors(group.cases[c], group.cases[b]), c, b};
    const std::size_t least = std::min(first.factors.size(), second.factors.size());
    if (least == 1 && first.factors.size() + second.factors.size() == all.size() &&
        all_among(first.factors, all) && all_among(second.factors, all))
      return {first, second};
  }
  return {};
}

std::int64_t fresh_outputs(const CaseResult& result) {
  return std::ranges::count(result.stages, OutputPolicy::Fresh, &StageResult::output);
}

std::optional<FaultsAdded> faults_added(const GroupResult& group, const Step& step,
                                        const Results& results) {
  const CaseResult &from = group.cases[step.from], &to = group.cases[step.to];
  FaultsAdded added{.buffers = fresh_outputs(to) - fresh_outputs(from),
                    .faults = faults_per_iteration(to) - faults_per_iteration(from),
                    .share = {},
                    .at_most = false};
  const double slower = median_ns(to, results) - median_ns(from, results);
  if (!only_outputs(step.factors) || added.buffers <= 0 || added.faults < 1 || slower <= 0)
    return std::nullopt;
  const auto cost = fault_cost(group, step.to, results);
  if (cost && cost->cost_ns) {
    added.share = std::min(1.0, *cost->cost_ns * added.faults / slower);
    added.at_most = cost->at_most;
  }
  return added;
}

/// Returns a Contribution for each step; an empty list if a pair has too few rounds.
std::vector<Contribution> contributions(const GroupResult& group, const GroupAnalysis& analysis,
                                        const std::vector<Step>& steps, const Results& results) {
  std::vector<Contribution> list;
  for (const Step& step : steps) {
    const auto pair = analysis.pairs.of(step.to, step.from);
    if (!pair || !pair->covered) return {};
    list.push_back(
        {step.factors, *pair, pair->different ? faults_added(group, step, results) : std::nullopt});
  }
  return list;
}

/// Judges a claim that the difference is at most `within`.
Judgement::Outcome held_within(const Pair& pair, double within) {
  using enum Judgement::Outcome;
  if (!pair.covered) return Inconclusive;
  const Interval ratio = claimed_ratio(pair, Relation::More);
  const double most = 1 + within;
  if (ratio.high <= most && ratio.low >= 1 / most) return Confirmed;
  return ratio.low > most || ratio.high < 1 / most ? Contradicted : Inconclusive;
}

Judgement::Outcome direction(const Pair& pair, Relation relation, double precision) {
  using enum Judgement::Outcome;
  if (pair.different) {
    const Relation found = pair.ratio.value < 1 ? Relation::Less : Relation::More;
    return found == relation ? Confirmed : Contradicted;
  }
  if (relation == Relation::Equal) return is_tie(pair, precision) ? Confirmed : Inconclusive;
  // The claim is contradicted if not even the upper end of the ratio's interval exceeds the margin.
  const double most = claimed_ratio(pair, relation).high;
  return pair.covered && most <= 1 + margin_of(pair, precision) ? Contradicted : Inconclusive;
}

Judgement judge_pair(const Claim& claim, const Pair& pair, double precision) {
  Judgement judgement{.pair = pair, .size = {}, .caveat = {}};
  judgement.outcome =
      claim.within ? held_within(pair, *claim.within) : direction(pair, claim.relation, precision);
  if (!claim.ratio) return judgement;
  judgement.size = claimed_ratio(pair, claim.relation);
  const Judgement::Outcome sized = held_against(*judgement.size, *claim.ratio);
  using enum Judgement::Outcome;
  // A claimed ratio may be so small that it lies within the margin. The claim is then confirmed by
  // its ratio, although the pair is not different.
  if (judgement.outcome == Confirmed || (pair.covered && sized == Confirmed))
    judgement.outcome = sized;
  return judgement;
}

}  // namespace

Judgement::Outcome held_against(const Interval& size, const ClaimedRatio& claimed) {
  using enum Judgement::Outcome;
  constexpr double about = 0.1;
  const bool single = claimed.low == claimed.high;
  const double low = single ? std::max(1.0, claimed.low * (1 - about)) : claimed.low;
  const double high = claimed.high * (single ? 1 + about : 1);
  if (size.low >= low && size.high <= high) return Confirmed;
  return size.high < low || size.low > high ? DirectionOnly : Inconclusive;
}

Interval claimed_ratio(const Pair& pair, Relation relation) {
  const double effect = 1 + pair.process_effect;
  const Interval& ratio = pair.ratio;
  if (relation == Relation::More) return {ratio.value, ratio.low / effect, ratio.high * effect};
  return {1 / ratio.value, 1 / (ratio.high * effect), effect / ratio.low};
}

std::optional<Caveat> caveat(const GroupResult& group, const GroupAnalysis& analysis, int a, int b,
                             const Results& results) {
  const auto pair = analysis.pairs.of(a, b);
  if (!pair) return std::nullopt;
  if (pair->ratio.value > 1) std::swap(a, b);
  std::vector<Factor> all = factors(group.cases[a], group.cases[b]);
  if (all.size() < 2) return std::nullopt;
  auto parts = contributions(group, analysis, way(group, a, b, all), results);
  return Caveat{std::move(all), std::move(parts)};
}

std::vector<Judgement> judge_claims(const GroupResult& group, const GroupAnalysis& analysis,
                                    const Results& results) {
  std::vector<Judgement> judgements;
  for (const Claim& claim : group.claims) {
    Judgement& judgement = judgements.emplace_back();
    if (results.traced || claim.across || !agree(claim.point, group.point)) {
      judgement.outcome = Judgement::Outcome::NotJudged;
      continue;
    }
    const int left = index_of(group, claim.left), right = index_of(group, claim.right);
    const auto pair = analysis.pairs.of(left, right);
    if (!pair) {
      const auto is_measured = [&](int i) { return i >= 0 && measured(group.cases[i]); };
      const auto has_failed = [&](int i) {
        return i >= 0 && group.cases[i].status == Status::Failed;
      };
      if (has_failed(left) || has_failed(right)) judgement.outcome = Judgement::Outcome::Failed;
      if (is_measured(left) && is_measured(right))
        judgement.outcome = Judgement::Outcome::Inconclusive;
      continue;
    }
    judgement = judge_pair(claim, *pair, precision_of(group, results));
    if (judgement.outcome != Judgement::Outcome::Inconclusive)
      judgement.caveat = caveat(group, analysis, left, right, results);
  }
  return judgements;
}

}  // namespace normbench
