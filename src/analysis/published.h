/// Published figures beside the same quantities here.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

enum class FigureKind { Wall, Device, Sum, Submitted, FirstCall, SpeedUp };

struct PublishedFigure {
  FigureKind kind = FigureKind::Wall;
  double published = 0;        // milliseconds per iteration; a speed-up over the baseline
  std::optional<double> here;  // the median; nothing where it was not measured
};

/// What an entry of the group says, one element a figure. A stage's wall time is the host's, which
/// for one on the GPU is that of its calls. A sum is of the stages' host and device times.
std::vector<PublishedFigure> published_figures(const GroupResult& group,
                                               const GroupAnalysis& analysis,
                                               const Published& published);

}  // namespace normbench
