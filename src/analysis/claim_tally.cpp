#include "analysis/claim_tally.h"

#include "analysis/sweep/trends.h"

namespace normbench {
namespace {

void add(Judgement::Outcome outcome, ClaimTally& tally) {
  using enum Judgement::Outcome;
  switch (outcome) {
    case Confirmed:
      ++tally.confirmed;
      return;
    case DirectionOnly:
    case Contradicted:
      ++tally.contradicted;
      return;
    case Inconclusive:
    case Interrupted:
      ++tally.inconclusive;
      return;
    case Failed:
    case NotRun:
      ++tally.not_run;
      return;
    case NotJudged:
      return;
  }
}

}  // namespace

ClaimTally tally_claims(const Analysed& analysed) {
  ClaimTally tally;
  for (const Experiment& experiment : analysed.experiments()) {
    for (const GroupAnalysis& analysis : experiment.analyses)
      for (const Judgement& judgement : analysis.verdict.claims) add(judgement.outcome, tally);
    for (const TrendJudgement& trend : judge_trends(experiment, analysed.results()))
      add(trend.outcome, tally);
  }
  return tally;
}

}  // namespace normbench
