#include "measure/device_lane.h"

#include <algorithm>

namespace normbench {

StageTimes* DeviceLane::begin_step() {
  anchor_ = take_anchor(*contender_.device(), clock_);
  return &times_.emplace(clock_, contender_.work().stages.size());
}

void DeviceLane::keep_step() {
  Queue& queue = *contender_.device();
  for (const StageTimes::Span& span : times_->spans())
    log_.slices.push_back({.start_ns = anchor_.host_ns + queue.ns_between(0, span.from),
                           .end_ns = anchor_.host_ns + queue.ns_between(0, span.to),
                           .name = span.name,
                           .kind = RangeKind::Stage,
                           .bytes = span.bytes,
                           .place = Place::Cuda});
  clock_error_ns_ = std::max(clock_error_ns_, anchor_.error_ns);
}

}  // namespace normbench
