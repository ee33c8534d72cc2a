/// Measures the time that a Recorder takes to record a Range. Use the medians that
/// --benchmark_repetitions=9 --benchmark_report_aggregates_only prints. If NVTX_INJECTION64_PATH
/// loads a tool, the time of the tool is included.
#include <benchmark/benchmark.h>

#include <string>

#include "record/nvtx.h"
#include "record/recorder.h"

namespace normbench {
namespace {

constexpr int batch = 2000;  // ranges to record before the slices are taken

void clock_reading(benchmark::State& state) {
  SystemClock system;
  Clock& clock = system;
  for (auto _ : state) benchmark::DoNotOptimize(clock.now_ns());
}
BENCHMARK(clock_reading);

/// Measures the time per range. The timer is paused while the slices are taken.
void ranges(benchmark::State& state, Recorder& recorder, std::string_view name,
            std::int64_t bytes) {
  int left = batch;
  for (auto _ : state) {
    {
      const Range range(&recorder, RangeKind::Stage, name, bytes);
      benchmark::ClobberMemory();
    }
    if (--left > 0) continue;
    state.PauseTiming();
    recorder.take();
    left = batch;
    state.ResumeTiming();
  }
}

void range_recorded(benchmark::State& state) {
  SystemClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  ranges(state, recorder, recorder.intern("normalize (fused_nt)"), 27'648'000);
}
BENCHMARK(range_recorded);

void range_recorded_nested(benchmark::State& state) {
  SystemClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  const Range step(&recorder, RangeKind::Step, "ProfilerStep#0");
  ranges(state, recorder, "normalize", 0);
}
BENCHMARK(range_recorded_nested);

void range_not_recorded(benchmark::State& state) {
  SystemClock clock;
  Recorder recorder(clock);
  for (auto _ : state) {
    const Range range(&recorder, RangeKind::Stage, "normalize", 27'648'000);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(range_not_recorded);

void range_without_recorder(benchmark::State& state) {
  Recorder* recorder = nullptr;
  benchmark::DoNotOptimize(recorder);
  for (auto _ : state) {
    const Range range(recorder, RangeKind::Stage, "normalize", 27'648'000);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(range_without_recorder);

/// Measures an NVTX range. Without a tool, only the check for a tool is measured.
void nvtx_range(benchmark::State& state) {
  for (auto _ : state) {
    if (nvtx::attached()) {
      nvtx::push(RangeKind::Stage, "normalize", 27'648'000);
      nvtx::pop();
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK(nvtx_range);

void intern_known_name(benchmark::State& state) {
  SystemClock clock;
  Recorder recorder(clock);
  for (int i = 0; i < 1000; ++i) recorder.intern("ProfilerStep#" + std::to_string(i));
  for (auto _ : state) benchmark::DoNotOptimize(recorder.intern("ProfilerStep#500"));
}
BENCHMARK(intern_known_name);

}  // namespace
}  // namespace normbench
