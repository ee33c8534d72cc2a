#include "measure/costs.h"

#include <atomic>
#include <utility>
#include <vector>

#include "document/statistics.h"
#include "measure/turn_shape.h"
#include "record/nvtx.h"
#include "record/recorder.h"

namespace normbench {

namespace {

constexpr std::int64_t kCalls = 2'000;
constexpr int kRepeats = 50;

void nothing() {}

/// A fence for the compiler: the compiler must not merge or remove calls across the fence, and must
/// not reuse values that were read before the fence.
void keep_calls() { std::atomic_signal_fence(std::memory_order_seq_cst); }

/// Times several loops of `call`, and returns the median of the loops' mean times per call in ns.
/// `between` is called after each loop and is not timed.
double cost_ns(Clock& clock, const auto& call, const auto& between) {
  std::vector<double> means;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const std::int64_t start = clock.now_ns();
    for (std::int64_t i = 0; i < kCalls; ++i) {
      call();
      keep_calls();
    }
    means.push_back(static_cast<double>(clock.now_ns() - start) / static_cast<double>(kCalls));
    between();
  }
  return median(std::move(means));
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
                if (!nvtx::attached()) return;
                nvtx::push(RangeKind::Stage, "cost", 0);
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
