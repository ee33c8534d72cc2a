/// Compares figures that others published with what was measured here.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

/// The kind of a published figure, and the measured time that is compared with it:
/// - Wall: the wall time. For a stage, it is the time that the host spends in the stage. For a
///   stage on the GPU, that is the time of its calls.
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

/// What published times imply if one stage of a pipeline overlaps with all other stages. Computed
/// from published times only. Times are in milliseconds per item.
struct PublishedOverlap {
  const Published *whole = nullptr, *stage = nullptr;
  double whole_ms = 0, stage_ms = 0;
  // The time if the stage runs while all other stages run: the larger one of `stage_ms` and
  // `whole_ms` - `stage_ms`.
  double overlapped_ms = 0;
  // The smallest number of servers with which the stage takes no longer than all other stages.
  std::int64_t servers = 1;
  // A published pipeline with this stage whose time is shorter than `overlapped_ms`; null if none.
  const Published* faster = nullptr;
};
/// Returns an overlap for each stage whose time was published, if its whole pipeline's time was
/// published for the same number of items. The result points into `group`, which must outlive it.
std::vector<PublishedOverlap> published_overlaps(const GroupResult& group);

}  // namespace normbench
