/// Compares published figures with what was measured here.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

/// The kind of a published figure, and what is measured to compare with it:
/// - Wall: the wall time. For a stage, the time that the host spends in it, which for a stage on
///   the GPU is the time of its calls.
/// - Device: the time on the device.
/// - Sum: Wall plus Device, summed over the stages.
/// - Submitted: the time from the start of an iteration until all its work is submitted.
/// - FirstCall: the time of the first iteration.
/// - SpeedUp: the baseline's time over the case's time.
enum class FigureKind { Wall, Device, Sum, Submitted, FirstCall, SpeedUp };

struct PublishedFigure {
  FigureKind kind = FigureKind::Wall;
  double published = 0;        // milliseconds per iteration; for SpeedUp, a factor
  std::optional<double> here;  // measured median in the same unit; nothing if not measured
};

/// Returns one figure for each time or speed-up that `published` has. `published` is about a case
/// of the group or about one of its stages.
std::vector<PublishedFigure> published_figures(const GroupResult& group,
                                               const GroupAnalysis& analysis,
                                               const Published& published);

/// What published times imply if one stage of a pipeline overlaps with all others. Computed from
/// published times only. Times are in milliseconds per item.
struct PublishedOverlap {
  const Published *whole = nullptr, *stage = nullptr;
  double whole_ms = 0, stage_ms = 0;
  double overlapped_ms = 0;  // time if the stage runs during all others: the longer of the two
  std::int64_t servers = 1;  // smallest number with which the stage takes no longer than all others
  // A published time, shorter than `overlapped_ms`, of any pipeline with this stage; or null.
  const Published* faster = nullptr;
};
/// Returns an overlap for each stage with a published time, if its whole pipeline has a published
/// time over as many items. The result points into `group`, which must outlive it.
std::vector<PublishedOverlap> published_overlaps(const GroupResult& group);

}  // namespace normbench
