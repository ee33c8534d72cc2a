/// What a document shows about published experiments: judged claims, and published figures next to
/// measured ones.
#pragma once

#include "analysis/analysed.h"
#include "analysis/published.h"
#include "analysis/sweep/trends.h"

namespace normbench {

/// A claim and its judgement at one point of its experiment.
struct ReproducedClaim {
  const Claim* claim = nullptr;
  Judgement judgement;
};
/// A published figure, and the element of the group's `published` that contains it.
struct ReproducedFigure {
  const Published* published = nullptr;
  PublishedFigure figure;
};

/// A claim or a figure of a published experiment, and what was measured about it.
struct Reproduced {
  std::string id;
  const GroupResult* group = nullptr;
  std::variant<ReproducedClaim, TrendJudgement, ReproducedFigure> found;
  Cause cause;            // cause of the time of the figure's case, or of the claim's slower side
  std::string case_name;  // variant of the case that `cause` is about
};

/// Returns what all experiments of the document show about the published experiment `id`: first its
/// judged claims, then its figures. The result points into `analysed`, which must outlive it.
std::vector<Reproduced> reproduced(const Analysed& analysed, const std::string& id);

}  // namespace normbench
