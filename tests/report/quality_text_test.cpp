#include <gtest/gtest.h>

#include <cmath>

#include "example_results.h"
#include "report/report.h"
#include "report/verdict_text.h"

namespace normbench::quality_text_test {
namespace {

CaseResult timed_case(const std::string& variant, const std::vector<double>& ms) {
  CaseResult result = examples::make_case({.variant = variant});
  result.rounds.clear();
  for (const double one : ms)
    result.rounds.push_back(
        {.wall_ns = std::llround(one * 1e6),
         .start_ns = static_cast<std::int64_t>(result.rounds.size()) * 10'000'000,
         .counters = {}});
  return result;
}

/// Returns times of 1.00, 1.01, 1.02, 1.00, ... ms. Their median is 1.01 ms, and no z-score exceeds
/// 0.6745.
std::vector<double> steady(int count) {
  std::vector<double> ms;
  for (int i = 0; i < count; ++i) ms.push_back(1.00 + 0.01 * (i % 3));
  return ms;
}

Results of_cases(std::vector<CaseResult> cases) {
  GroupResult group;
  group.experiment = "example";
  group.baseline = cases.front().variant;
  group.cases = std::move(cases);
  return examples::make_results("example", {group});
}

TEST(Quality, WithoutAMeasuredBaselineItIsOfTimes) {
  CaseResult baseline = timed_case("baseline", {});
  baseline.status = Status::Failed;
  std::vector<double> twice = steady(24);
  for (double& ms : twice) ms *= 2;
  const auto line = [&] {
    const Results results =
        of_cases({baseline, timed_case("a", steady(24)), timed_case("b", twice)});
    return quality_text(analyse(results.groups[0], results));
  };
  EXPECT_EQ(line(), "machine quiet: times ±1.0 %");
  baseline = timed_case("baseline", steady(24));
  EXPECT_EQ(line(), "machine quiet: ratios ±0.0 %");
}

TEST(Quality, TheLineSaysWhatDisturbed) {
  CaseResult a = timed_case("a", steady(24)), b = timed_case("b", steady(24));
  const auto line = [&] {
    const Results results = of_cases({a, b});
    return quality_text(analyse(results.groups[0], results));
  };
  EXPECT_EQ(line(), "machine quiet: ratios ±0.0 %");
  for (int i = 0; i < 4; ++i) a.rounds[i].disturbance.steal_ns = 10;
  EXPECT_EQ(line(), "machine quiet: ratios ±0.0 %");  // 4 of 48 rounds are less than a tenth
  a.rounds[2].counters.involuntary_switches = 1;      // not preempted: 1.02 ms is close to 1.01 ms
  a.rounds[3].counters.involuntary_switches = 1;
  a.rounds[3].wall_ns = b.rounds[5].wall_ns = 1'035'000;  // preempted, but no outlier: 2.5 % slower
  b.rounds[5].counters.involuntary_switches = 1;
  EXPECT_EQ(line(),
            "machine noisy: ratios ±0.0 %, 5 of 48 rounds disturbed (stolen 4, preempted 2)");
  for (int i = 16; i < 24; ++i) a.rounds[i].wall_ns = a.rounds[i - 16].wall_ns * 103 / 100;
  b = timed_case("b", steady(24));
  for (int i = 16; i < 24; ++i) b.rounds[i].wall_ns = b.rounds[i - 16].wall_ns * 103 / 100;
  a.rounds[3].wall_ns = 1'000'000;
  for (Round& round : a.rounds) round.disturbance = {}, round.counters = {};
  EXPECT_EQ(line(), "machine noisy: ratios ±0.0 %, drift 3.0 %");
}

TEST(Noise, TheDocumentHoldsTheLedgerAndTheFlags) {
  CaseResult result = timed_case("a", steady(12));
  result.rounds[3].disturbance.steal_ns = 10'000'000;
  const Json json = document(Analysed(of_cases({result}))).at("/groups/0/cases/0"_json_pointer);
  EXPECT_EQ(json.at("flags"), Json::parse(R"({"stolen": [3]})"));
  EXPECT_EQ(json.at("noise").at("disturbed"), 1);
  EXPECT_DOUBLE_EQ(json.at("noise").at("steal_share").get<double>(), 10.0 / (110 + 1.02));
}

}  // namespace
}  // namespace normbench::quality_text_test
