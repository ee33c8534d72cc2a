/// Measures how fast `normbench table` reads a trace and makes tables, in events and bytes per
/// second.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <sstream>
#include <string>

#include "trace/profile_rows.h"
#include "trace/read/read_chrome.h"

namespace normbench {
namespace {

/// Returns a trace in PyTorch's format. Each op launches one kernel.
std::string torch_trace(int ops) {
  std::string text = "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n";
  for (int op = 0; op < ops; ++op) {
    const int ts = 100 * op;
    text += fmt::format(R"json(  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::op_{0}", "pid": 4242, "tid": 4242,
    "ts": {1}.125, "dur": 60.250,
    "args": {{"External id": {2}, "Record function id": 0, "Ev Idx": {2}}}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 4242,
    "ts": {1}.500, "dur": 4.125,
    "args": {{"External id": {2}, "cbid": 211, "correlation": {2}}}
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "void kernel_{0}<float, 4>(int, float*)", "pid": 0, "tid": 7,
    "ts": {1}.900, "dur": 70.001,
    "args": {{"External id": {2}, "queued": 0, "device": 0, "context": 1, "stream": 7,
      "correlation": {2}, "registers per thread": 32, "grid": [108, 1, 1], "block": [128, 1, 1]}}
  }}{3}
)json",
                        op % 200, ts, op + 1, op + 1 < ops ? "," : "");
  }
  return text + "  ],\n  \"traceName\": \"trace.json\"\n}\n";
}

void read(benchmark::State& state) {
  const int ops = static_cast<int>(state.range(0));
  const std::string text = torch_trace(ops);
  for (auto _ : state) {
    std::istringstream in(text);
    const ReadTrace trace = read_chrome(in, "trace.json");
    benchmark::DoNotOptimize(trace.lanes.data());
  }
  state.SetItemsProcessed(state.iterations() * 3 * ops);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read)->Arg(100'000)->Unit(benchmark::kMillisecond);

void tables(benchmark::State& state) {
  const int ops = static_cast<int>(state.range(0));
  const std::string text = torch_trace(ops);
  for (auto _ : state) {
    state.PauseTiming();
    std::istringstream in(text);
    ReadTrace trace = read_chrome(in, "trace.json");
    state.ResumeTiming();
    benchmark::DoNotOptimize(profile_times(trace));
    profile_rows(trace, false, [](ProfileRow&& row) { benchmark::DoNotOptimize(row); });
  }
  state.SetItemsProcessed(state.iterations() * 3 * ops);
}
BENCHMARK(tables)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace normbench
