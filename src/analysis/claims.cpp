#include <fmt/format.h>

#include "analysis/decompose.h"
#include "analysis/pairs.h"
#include "analysis/verdict.h"
#include "analysis/words.h"
#include "core/units.h"

namespace normbench {

namespace {

int index_of(const GroupResult& group, const std::string& variant) {
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i)
    if (group.cases[i].variant == variant) return i;
  return -1;
}

/// "A is 1.40x faster than B", told of the claim's left side.
std::string difference(const ClaimResult& claim, double ratio) {
  return fmt::format("{} is {} {} than {}", spoken(claim.left),
                     factor(ratio < 1 ? 1 / ratio : ratio), ratio < 1 ? "faster" : "slower",
                     spoken(claim.right));
}

Judgement judge_claim(const ClaimResult& claim, const std::optional<Pair>& pair, double precision) {
  if (!pair) return {claim.text, "not run here", ""};
  if (pair->different) {
    const bool holds = claim.relation == (pair->ratio.value < 1 ? Relation::Less : Relation::More);
    return {claim.text, holds ? "confirmed" : "contradicted", difference(claim, pair->ratio.value)};
  }
  if (is_tie(*pair, precision))
    return {claim.text, claim.relation == Relation::Equal ? "confirmed" : "contradicted",
            fmt::format("no difference larger than {}", format_percent(widest_difference(*pair)))};
  if (!pair->covered) return {claim.text, "inconclusive", "too few rounds"};
  return {claim.text, "inconclusive",
          fmt::format("could have seen {}", format_percent(visible_difference(*pair, precision)))};
}

}  // namespace

std::vector<Judgement> judge_claims(const GroupResult& group, const GroupAnalysis& analysis,
                                    const Results& results) {
  std::vector<Judgement> judgements;
  for (const ClaimResult& claim : group.claims) {
    const int left = index_of(group, claim.left), right = index_of(group, claim.right);
    Judgement judgement =
        judge_claim(claim, pair_of(analysis.pairs, left, right), results.precision);
    if (judgement.verdict == "confirmed" || judgement.verdict == "contradicted")
      judgement.caveat = caveat(group, analysis, left, right, results);
    judgements.push_back(std::move(judgement));
  }
  return judgements;
}

std::vector<std::string> claim_lines(const std::vector<Judgement>& judgements) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const auto& [claim, verdict, detail, caveat] = judgements[i];
    std::string said = detail.empty() ? verdict : fmt::format("{} ({})", verdict, detail);
    if (!caveat.empty()) said += ", " + caveat;
    if (i > 0 && claim == judgements[i - 1].claim)
      lines.back().replace(lines.back().size() - 1, 1, "; " + said + ".");
    else
      lines.push_back(fmt::format("Claim \"{}\": {}.", claim, said));
  }
  return lines;
}

}  // namespace normbench
