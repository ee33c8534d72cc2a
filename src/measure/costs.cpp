#include "measure/costs.h"

#include <algorithm>

#include "measure/turn.h"
#include "record/nvtx.h"
#include "record/recorder.h"

namespace normbench {

namespace {

constexpr std::int64_t kCalls = 2'000;
constexpr int kRepeats = 50;

void nothing() {}

/// The least of several means: what else runs only adds to it. `between` is not timed.
double cost_ns(Clock& clock, const auto& call, const auto& between) {
  double least = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const std::int64_t start = clock.now_ns();
    for (std::int64_t i = 0; i < kCalls; ++i) call();
    const double mean = static_cast<double>(clock.now_ns() - start) / static_cast<double>(kCalls);
    least = repeat == 0 ? mean : std::min(least, mean);
    between();
  }
  return least;
}

double range_cost_ns(Clock& clock, bool on) {
  Recorder recorder(clock);
  recorder.enable(on);
  return cost_ns(
      clock, [&] { const Range range(&recorder, RangeKind::Stage, "cost"); },
      [&] { recorder.take(); });
}

std::int64_t clock_step_ns(Clock& clock) {
  std::int64_t least = 0;
  for (std::int64_t i = 0; i < kCalls; ++i) {
    const std::int64_t first = clock.now_ns();
    const std::int64_t step = clock.now_ns() - first;
    if (step > 0 && (least == 0 || step < least)) least = step;
  }
  return least;
}

}  // namespace

MeasuringCosts measuring_costs(Clock& clock) {
  return {.clock_ns = clock_cost_ns(clock),
          .clock_step_ns = clock_step_ns(clock),
          .range_recorded_ns = range_cost_ns(clock, true),
          .range_ns = range_cost_ns(clock, false),
          .nvtx_ns = cost_ns(
              clock,
              [] {
                nvtx::push("cost", 0, 0);
                nvtx::pop();
              },
              &nothing)};
}

Json to_json(const MeasuringCosts& costs) {
  return {{"clock_ns", costs.clock_ns},
          {"clock_step_ns", costs.clock_step_ns},
          {"range_recorded_ns", costs.range_recorded_ns},
          {"range_ns", costs.range_ns},
          {"nvtx_ns", costs.nvtx_ns}};
}

}  // namespace normbench
