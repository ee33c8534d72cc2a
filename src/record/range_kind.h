/// The kinds of ranges.
#pragma once

#include "core/enums.h"

namespace normbench {

/// What a range is; the NVTX category. Part: a piece of a stage on its own thread; Worker: what
/// another thread does of a stage.
enum class RangeKind { Run, Point, Variant, Step, Stage, Part, Init, Warmup, Worker };
constexpr auto words(RangeKind) {
  return std::to_array<Word<RangeKind>>({{RangeKind::Run, "run"},
                                         {RangeKind::Point, "point"},
                                         {RangeKind::Variant, "variant"},
                                         {RangeKind::Step, "step"},
                                         {RangeKind::Stage, "stage"},
                                         {RangeKind::Part, "part"},
                                         {RangeKind::Init, "init"},
                                         {RangeKind::Warmup, "warmup"},
                                         {RangeKind::Worker, "worker"}});
}

}  // namespace normbench
