/// Measures the cost of checking an output. The check computes the references and error bounds of
/// the stages, and compares the output with them.
#include <benchmark/benchmark.h>

#include <random>

#include "measure/check.h"
#include "measure/engine.h"
#include "plan/plan.h"

namespace normbench {
namespace {

constexpr const char* head = R"({"schema": 1, "name": "check", "experiments": [{"name": "check",
  "source": {"dtype": "uint8", "batch": 16, "size": [480, 640]}, "variants": {"one": )";

/// Runs the stages of a variant once, and then checks their output in each iteration.
void check(benchmark::State& state, const std::string& stages) {
  Backends backends;
  backends.list.push_back(make_cpu_backend());
  const Plan plan = make_plan("check.json", head + stages + "}}]}", backends, {});
  const Case& planned = plan.groups.at(0).cases.at(0);
  GroupMemory memory({{&planned}}, plan.measure, backends, 1 << 16);
  SystemClock clock;
  Recorder recorder{clock};
  std::mt19937_64 random(1);
  Engine prepared(planned, memory, backends, recorder, clock, random);
  prepared.iterate({});
  for ([[maybe_unused]] const auto _ : state)
    if (!check_output(planned, prepared.item().inputs(), prepared.item().outputs(), backends)
             .result.ok)
      state.SkipWithError("the output is wrong");
  state.SetItemsProcessed(state.iterations() * planned.result().elements());
}

BENCHMARK_CAPTURE(check, normalize_float32,
                  R"([{"op": "normalize", "mean": [123.675, 116.28, 103.53],
                      "std": [58.395, 57.12, 57.375]}])")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check, cast_sub_div_bfloat16,
                  R"([{"op": "cast", "to": "bfloat16"}, {"op": "sub", "mean": [123.675]},
                      {"op": "div", "std": [58.395]}])")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check, resize_cast,
                  R"([{"op": "resize", "size": [224, 224]}, {"op": "cast", "to": "float32"}])")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check, group_norm,
                  R"([{"op": "cast", "to": "float32"}, {"op": "group_norm", "groups": 3,
                      "affine": false}])")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace normbench

BENCHMARK_MAIN();
