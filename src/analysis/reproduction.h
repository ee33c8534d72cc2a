/// What documents show of published experiments: claims judged, and figures beside those measured
/// here.
#pragma once

#include "analysis/analysed.h"
#include "analysis/published.h"
#include "analysis/sweep/trends.h"

namespace normbench {

/// A claim at one point of its experiment.
struct ReproducedClaim {
  const Claim* claim = nullptr;
  Judgement judgement;
};
/// A figure, and the entry that it belongs to.
struct ReproducedFigure {
  const Published* published = nullptr;
  PublishedFigure figure;
};

/// What one group shows of a published experiment.
struct Reproduced {
  std::string id;
  const GroupResult* group = nullptr;
  std::variant<ReproducedClaim, TrendJudgement, ReproducedFigure> found;
  Cause cause;            // the figure's case's, or the claim's slower side's
  std::string case_name;  // whose cause that is
};

/// The claims, then the figures, of all experiments with this id, in order. `analysed` must outlive
/// them.
std::vector<Reproduced> reproduced(const Analysed& analysed, const std::string& id);

}  // namespace normbench
