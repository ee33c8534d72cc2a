/// Shows that the time to analyse, show and compare documents grows linearly with the number of
/// cases, and not with its square. In one series, a group gets more variants. In the other one, a
/// document gets more groups.
#include <benchmark/benchmark.h>

#include "analysis/compare/compare.h"
#include "example_results.h"
#include "report/comparison.h"
#include "report/html/report_html.h"
#include "report/report.h"

namespace normbench {
namespace {

Results of_variants(const benchmark::State& state) {
  return examples::many(1, static_cast<int>(state.range(0)));
}
Results of_groups(const benchmark::State& state) {
  return examples::many(static_cast<int>(state.range(0)), 2);
}
using Make = Results (*)(const benchmark::State&);

void analyse(benchmark::State& state, Make make) {
  const Results results = make(state);
  for ([[maybe_unused]] const auto _ : state) benchmark::DoNotOptimize(Analysed(results));
  state.SetComplexityN(state.range(0));
}

void report(benchmark::State& state, Make make, const char* name) {
  const Analysed analysed(make(state));
  const Report& report = report_named(name);
  for ([[maybe_unused]] const auto _ : state)
    benchmark::DoNotOptimize(report.render(analysed, Screen{}));
  state.SetComplexityN(state.range(0));
}

void compared(benchmark::State& state, Make make) {
  std::vector<Results> base, now;
  base.push_back(make(state));
  now.push_back(make(state));
  for ([[maybe_unused]] const auto _ : state)
    benchmark::DoNotOptimize(comparison_text(compare(base, now, std::nullopt), Screen{}));
  state.SetComplexityN(state.range(0));
}

void many(benchmark::internal::Benchmark* shown) {
  shown->RangeMultiplier(2)->Range(250, 4'000)->Unit(benchmark::kMillisecond)->Complexity();
}
BENCHMARK_CAPTURE(analyse, variants, &of_variants)->Apply(many);
BENCHMARK_CAPTURE(analyse, groups, &of_groups)->Apply(many);
BENCHMARK_CAPTURE(report, text_variants, &of_variants, "text")->Apply(many);
BENCHMARK_CAPTURE(report, text_groups, &of_groups, "text")->Apply(many);
BENCHMARK_CAPTURE(report, table_variants, &of_variants, "table")->Apply(many);
BENCHMARK_CAPTURE(report, table_groups, &of_groups, "table")->Apply(many);
BENCHMARK_CAPTURE(report, json_variants, &of_variants, "json")->Apply(many);
BENCHMARK_CAPTURE(report, json_groups, &of_groups, "json")->Apply(many);
BENCHMARK_CAPTURE(report, html_variants, &of_variants, "html")->Apply(many);
BENCHMARK_CAPTURE(report, html_groups, &of_groups, "html")->Apply(many);
BENCHMARK_CAPTURE(compared, variants, &of_variants)->Apply(many);
BENCHMARK_CAPTURE(compared, groups, &of_groups)->Apply(many);

}  // namespace
}  // namespace normbench
