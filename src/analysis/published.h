/// Compares published figures with what was measured here.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

enum class FigureKind { Wall, Device, Sum, Submitted, FirstCall, SpeedUp };

struct PublishedFigure {
  FigureKind kind = FigureKind::Wall;
  double published = 0;        // milliseconds per iteration; for SpeedUp, a factor
  std::optional<double> here;  // measured median in the same unit; nothing if not measured
};

/// Returns the figures of `published` next to what was measured. The wall time of a stage is host
/// time: for a stage on the GPU it is the time of its calls. A sum adds host and device times of
/// the stages.
std::vector<PublishedFigure> published_figures(const GroupResult& group,
                                               const GroupAnalysis& analysis,
                                               const Published& published);

/// What published times imply if one stage of a pipeline overlaps with all others. It is arithmetic
/// on published figures; nothing is measured. Times are in milliseconds per item.
struct PublishedOverlap {
  const Published *whole = nullptr, *stage = nullptr;
  double whole_ms = 0, stage_ms = 0;
  double overlapped_ms = 0;  // at best: the longer of the stage and all others
  std::int64_t servers = 1;  // number with which the stage takes no longer than the others
  // The time of a variant with this stage that was published as faster than `overlapped_ms`, or
  // null.
  const Published* faster = nullptr;
};
/// Returns an overlap for each published stage whose pipeline is also published, with as many
/// items. The result points into `group`, which must outlive it.
std::vector<PublishedOverlap> published_overlaps(const GroupResult& group);

}  // namespace normbench
