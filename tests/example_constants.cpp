#include "example_results.h"

namespace normbench::examples {

namespace {

constexpr std::int64_t buffer_faults = 27'000;  // page faults that one fresh output causes

/// Returns a case with the stages `sub` and `div`. The parameters `sub` and `div` are the output
/// policies of these stages. `when` says when the stages prepare their constants (mean and std):
/// "per_call" or "cached".
CaseResult chain(const std::string& variant, const std::string& when, double ms, OutputPolicy sub,
                 OutputPolicy div) {
  const std::int64_t fresh =
      (sub == OutputPolicy::Fresh ? 1 : 0) + (div == OutputPolicy::Fresh ? 1 : 0);
  CaseResult result = make_case({variant,
                                 ms,
                                 DType::Float32,
                                 {{"sub", DType::Float32, sub}, {"div", DType::Float32, div}},
                                 fresh * buffer_faults});
  if (when == "per_call")
    for (StageResult& stage : result.stages) stage.parameters = {{"constants", when}};
  return result;
}

GroupResult constants_group(std::vector<CaseResult> cases) {
  GroupResult group;
  group.experiment = "example";
  group.question = "An example: why is the cached form slower?";
  group.baseline = cases[0].variant;
  group.cases = std::move(cases);
  group.limits = {make_limit("stream 110.6:110.6 MB nt, 1 thread", 5.55, DType::Float32),
                  make_limit("first_touch 110.6 MB, 1 thread", 40, DType::Float32)};
  group.limits[1].stages[0].op = "first_touch";
  for (Round& round : group.limits[1].rounds) round.counters.minor_faults = buffer_faults;
  group.stop = Stop::Precision;
  group.claims = {{"cached constants are slower", group.cases[0].variant, Relation::Less,
                   group.cases[2].variant},
                  {"caching alone makes it slower", group.cases[0].variant, Relation::Less,
                   group.cases[1].variant}};
  return group;
}

}  // namespace

Results constants() {
  return make_results(
      "constants", {constants_group({chain("per call: sub, div in place", "per_call", 48.6,
                                           OutputPolicy::Fresh, OutputPolicy::InPlace),
                                     chain("cached: sub, div in place", "cached", 48.5,
                                           OutputPolicy::Fresh, OutputPolicy::InPlace),
                                     chain("cached: sub, div", "cached", 97.1, OutputPolicy::Fresh,
                                           OutputPolicy::Fresh),
                                     chain("cached: sub, div, outputs reused", "cached", 10.8,
                                           OutputPolicy::Reuse, OutputPolicy::Reuse)})});
}

Results constants_reused() {
  return make_results(
      "constants", {constants_group({chain("per call: sub, div in place", "per_call", 10.9,
                                           OutputPolicy::Reuse, OutputPolicy::InPlace),
                                     chain("cached: sub, div in place", "cached", 10.8,
                                           OutputPolicy::Reuse, OutputPolicy::InPlace),
                                     chain("cached: sub, div", "cached", 12.2, OutputPolicy::Reuse,
                                           OutputPolicy::Reuse)})});
}

}  // namespace normbench::examples
