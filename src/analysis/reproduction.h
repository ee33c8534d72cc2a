/// What documents say of published experiments: their claims judged, their figures beside those
/// here.
#pragma once

#include "analysis/published.h"
#include "analysis/sweep/trends.h"

namespace normbench {

/// A claim at one point of its experiment.
struct ReproducedClaim {
  const Claim* claim = nullptr;
  Judgement judgement;
};
/// A figure, and the entry that it is of.
struct ReproducedFigure {
  const Published* published = nullptr;
  PublishedFigure figure;
};

/// One line about one published experiment.
struct Reproduced {
  std::string id;
  const GroupResult* group = nullptr;
  std::variant<ReproducedClaim, TrendJudgement, ReproducedFigure> found;
  Cause cause;            // of the case that the figure is of, or of the claim's slower side
  std::string case_name;  // whose cause that is
};

/// Claims first, then figures, of all experiments with this id, in order. The experiments have to
/// outlive it.
std::vector<Reproduced> reproduced(const std::vector<Experiment>& experiments,
                                   const Results& results, const std::string& id);

}  // namespace normbench
