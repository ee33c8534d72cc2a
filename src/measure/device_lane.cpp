#include "measure/device_lane.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace normbench {

namespace {

// A contender works on one stream, whose real number only a tracer knows; they count from 1.
constexpr std::int64_t kStream = 1;

/// Between host and device. Kernels that reach over the link are no copies.
bool is_copy(const Stage& stage) {
  return std::holds_alternative<H2d>(stage.op) || std::holds_alternative<D2h>(stage.op) ||
         std::holds_alternative<Exchange>(stage.op);
}

}  // namespace

StageTimes* DeviceLane::begin_step() {
  anchor_ = take_anchor(*contender_.device(), clock_);
  return &times_.emplace(clock_, contender_.work().stages.size());
}

void DeviceLane::keep_step() {
  Queue& queue = *contender_.device();
  const auto host_ns = [&](int mark) { return anchor_.host_ns + queue.ns_between(0, mark); };
  for (const auto& [run, from, to] : times_->spans())
    trace_.records.push_back({.activity = Activity::Stage,
                              .start_ns = host_ns(from),
                              .end_ns = host_ns(to),
                              .name = trace_.name(run.label),
                              .external_id = run.external_id,
                              .device = device_,
                              .stream = kStream,
                              .bytes = run.bytes,
                              .over_link = is_over_link(run)});
  trace_.clock_error_ns = std::max(trace_.clock_error_ns, anchor_.error_ns);
}

DeviceTrace DeviceLane::take() {
  trace_.source = "CUDA events";
  return std::exchange(trace_, {});
}

bool DeviceLane::is_over_link(const StageRun& run) const {
  const auto stages = contender_.work().stages.begin();
  return std::all_of(stages + static_cast<std::ptrdiff_t>(run.first),
                     stages + static_cast<std::ptrdiff_t>(run.last) + 1, is_copy);
}

}  // namespace normbench
