/// Shows that the time to make a plan grows linearly with the number of cases, and not with its
/// square.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "report/plan_text.h"

namespace normbench {
namespace {

std::string numbers(std::int64_t count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1);
  return fmt::format("[{}]", fmt::join(values, ","));
}

/// Returns a config with an axis of `count` batch sizes in `key` ("sweep" or "vary").
std::string config(const std::string& key, std::int64_t count) {
  return fmt::format(R"({{"schema": 1, "name": "many", "experiments": [{{"name": "many",
    "{}": {{"n": {}}}, "source": {{"batch": "$n", "size": [16, 16]}},
    "variants": {{"one": [{{"op": "normalize", "mean": 1, "std": 2}}]}}}}]}})",
                     key, numbers(count));
}

/// Returns a config with `count` variants. Each variant has its own source.
std::string variants_config(std::int64_t count) {
  std::string variants;
  for (std::int64_t v = 1; v <= count; ++v)
    variants +=
        fmt::format(R"({}"v{}": [{{"op": "source", "batch": {}, "size": [16, 16]}}, "copy"])",
                    v > 1 ? ", " : "", v, v);
  return fmt::format(R"({{"schema": 1, "name": "many", "experiments": [{{"name": "many",
    "variants": {{{}}}}}]}})",
                     variants);
}

/// Makes the plan of `text` and formats it as text. Without `has_memory`, host memory is limited,
/// so most cases are skipped.
void plan(benchmark::State& state, const std::string& text, bool has_memory) {
  Backends backends;
  backends.list.push_back(make_cpu_backend());
  PlanOptions options;
  if (!has_memory) options.free_bytes.host = 500'000'000;
  for ([[maybe_unused]] const auto _ : state) {
    const Plan plan = make_plan("many.json", text, backends, options);
    benchmark::DoNotOptimize(plan_text(plan, options.cache_bytes));
  }
  state.SetComplexityN(state.range(0));
}

void vary(benchmark::State& state) { plan(state, config("vary", state.range(0)), true); }
void vary_without_memory(benchmark::State& state) {
  plan(state, config("vary", state.range(0)), false);
}
void sweep(benchmark::State& state) { plan(state, config("sweep", state.range(0)), true); }
void variants(benchmark::State& state) { plan(state, variants_config(state.range(0)), true); }

void many(benchmark::internal::Benchmark* shown) {
  shown->RangeMultiplier(2)->Range(625, 10'000)->Unit(benchmark::kMillisecond)->Complexity();
}
BENCHMARK(vary)->Apply(many);
BENCHMARK(vary_without_memory)->Apply(many);
BENCHMARK(sweep)->Apply(many);
BENCHMARK(variants)->Apply(many);

void refused(benchmark::State& state) {
  const std::string text = config("sweep", state.range(0));
  Backends backends;
  backends.list.push_back(make_cpu_backend());
  for ([[maybe_unused]] const auto _ : state) {
    try {
      make_plan("many.json", text, backends, {});
    } catch (const BadInput& bad) {
      benchmark::DoNotOptimize(bad.issues.data());
    }
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(refused)
    ->RangeMultiplier(2)
    ->Range(12'500, 200'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

}  // namespace
}  // namespace normbench
