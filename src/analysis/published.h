/// Published figures beside what was measured here.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

enum class FigureKind { Wall, Device, Sum, Submitted, FirstCall, SpeedUp };

struct PublishedFigure {
  FigureKind kind = FigureKind::Wall;
  double published = 0;        // milliseconds per iteration; a speed-up over the baseline
  std::optional<double> here;  // the median; nothing where it was not measured
};

/// The figures of an entry of the group. A stage's wall time is the host's: for a stage on the GPU
/// the time of its calls. A sum adds the stages' host and device times.
std::vector<PublishedFigure> published_figures(const GroupResult& group,
                                               const GroupAnalysis& analysis,
                                               const Published& published);

/// What the published times of a pipeline and of one stage imply for overlapping that stage with
/// the rest: arithmetic, nothing measured here. Times are milliseconds an item.
struct PublishedOverlap {
  const Published *whole = nullptr, *stage = nullptr;
  double whole_ms = 0, stage_ms = 0;
  double overlapped_ms = 0;           // at best: the longer of the stage and the rest
  std::int64_t servers = 1;           // needed to bring the stage down to the rest
  const Published* faster = nullptr;  // a variant with that stage, published as faster still
};
/// The overlaps of the group's entries with equally many items. The entries must outlive them.
std::vector<PublishedOverlap> published_overlaps(const GroupResult& group);

}  // namespace normbench
