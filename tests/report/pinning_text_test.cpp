#include "report/cause_text.h"

#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "example_results.h"
#include "report/verdict_text.h"

namespace normbench::pinning_text_test {
namespace {

constexpr int kPageable = 0, kPinEachTime = 1, kPinned = 2;  // indices of the example's cases

std::string line(const Results& results) { const auto cost = pinning_cost(results.groups[0], results);
  return cost ? pinning_text(*cost) : ""; }

TEST(Pinning, PaysFromAsManyReusesAsMakeUpForIt) {
  const Results results = examples::pinning();
  const auto cost = pinning_cost(results.groups[0], results);
  ASSERT_TRUE(cost.has_value());
  EXPECT_NEAR(cost->once_ns, 18.0e6, 0.05e6);
  EXPECT_NEAR(cost->saved_ns.value, 1.3e6, 0.01e6);  // 18 ms / 1.3 ms = 13.8 reuses
  EXPECT_EQ(line(results),
            "Pinning pays from 14 reuses of a buffer on (pin 18.0 ms, saves 1.30 ms a batch).");
}

TEST(Pinning, DoesNotPayWherePinnedMemoryIsNoFaster) {
  Results results = examples::pinning();
  results.groups[0].cases[kPinned].rounds = results.groups[0].cases[kPageable].rounds;
  EXPECT_EQ(line(results),
            "Pinning does not pay here: it costs 18.0 ms and saves nothing beyond the noise.");
}

TEST(Pinning, IsTakenFromItsOwnCaseWhereNoOtherIsPinned) {
  Results results = examples::pinning();
  results.groups[0].cases.pop_back();  // the remaining case takes 18.6 ms, 18.0 of them to pin
  const auto cost = pinning_cost(results.groups[0], results);
  ASSERT_TRUE(cost.has_value());
  EXPECT_NEAR(cost->saved_ns.value, 1.81e6 - 0.6e6, 0.05e6);
}

TEST(Pinning, ByRegisteringCountsUndoingIt) {
  Results results = examples::pinning();
  CaseResult& result = results.groups[0].cases[kPinEachTime];
  result.stages[0].op = "register";
  result.stages[0].output = OutputPolicy::Reuse;
  result.stages.push_back(result.stages[0]);
  result.stages[2].op = "unregister";
  for (std::int64_t& ns : result.stages[2].calls_ns) ns = 2'000'000;
  EXPECT_EQ(line(results),
            "Registering pays from 16 reuses of a buffer on (register 20.0 ms, saves 1.30 ms a "
            "batch).");
}

TEST(Pinning, IntoAKeptBufferIsNoCostOfPinning) {
  Results results = examples::pinning();
  results.groups[0].cases[kPinEachTime].stages[0].output = OutputPolicy::Reuse;
  EXPECT_EQ(line(results), "");
}

TEST(Pinning, IsNothingWhereOneSideWasNotMeasured) {
  Results without_cost = examples::pinning();
  without_cost.groups[0].cases.erase(without_cost.groups[0].cases.begin() + kPinEachTime);
  EXPECT_EQ(line(without_cost), "");
  Results without_pair = examples::pinning();
  without_pair.groups[0].cases[kPageable].status = Status::Failed;
  EXPECT_EQ(line(without_pair), "");
  EXPECT_EQ(line(examples::gpu()), "");
}

TEST(Pinning, IsOneLineOfTheVerdict) {
  const Results results = examples::pinning();
  const auto said = reasons(results.groups[0], analyse(results.groups[0], results));
  EXPECT_EQ(std::ranges::count(said, line(results)), 1);
}

}  // namespace
}  // namespace normbench::pinning_text_test
