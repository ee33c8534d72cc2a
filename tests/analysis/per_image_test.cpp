#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "analysis/case_analysis.h"
#include "example_results.h"

namespace normbench::per_image_test {
namespace {

/// Returns a case with one round for each CPU time. A round has two iterations of ten images each.
CaseResult result_with_cpu_times(const std::vector<std::int64_t>& cpu_ns) {
  CaseResult result = examples::make_case({.variant = "a"});
  result.images = 10;
  result.iterations = 2;
  result.rounds.clear();
  for (const std::int64_t ns : cpu_ns) {
    Round& round = result.rounds.emplace_back();
    round.wall_ns = 1;
    round.cpu_ns = ns;
  }
  return result;
}

CaseProfile profile_with(const ProfileCounters& counters) {
  return {.variant = "a", .steps = 4, .counters = counters, .rows = {}};
}

TEST(CpuSecondsPerImage, AreTheMedianOfAllThreads) {
  EXPECT_DOUBLE_EQ(cpu_seconds_per_image(result_with_cpu_times({40'000, 10'000, 20'000})).value(),
                   1e-6);
}

TEST(CpuSecondsPerImage, NeedRoundsAndImages) {
  EXPECT_EQ(cpu_seconds_per_image(result_with_cpu_times({})), std::nullopt);
  CaseResult limit = result_with_cpu_times({10'000});
  limit.images = 0;
  EXPECT_EQ(cpu_seconds_per_image(limit), std::nullopt);
}

TEST(CountedPerImage, SpreadsTheCountsOverTheImagesOfAllSteps) {
  ProfileCounters counters{};
  counters.cycles = 8'000;
  counters.instructions = 12'000;
  counters.cache_misses = 10;
  counters.cpu_joules = 30;
  counters.gpu_joules = 10;
  const Counted counted = counted_per_image(result_with_cpu_times({1}), profile_with(counters));
  EXPECT_EQ(counted.cycles, 200);
  EXPECT_EQ(counted.instructions_per_cycle, 1.5);
  EXPECT_EQ(counted.cache_misses, 0.25);
  EXPECT_EQ(counted.joules, 1);
}

TEST(CountedPerImage, HasTheJoulesOfOneMeterAlone) {
  ProfileCounters counters{};
  counters.gpu_joules = 10;
  EXPECT_EQ(counted_per_image(result_with_cpu_times({1}), profile_with(counters)).joules, 0.25);
}

TEST(CountedPerImage, HasNothingThatWasNotCounted) {
  ProfileCounters counters{};
  counters.instructions = 12'000;
  counters.cycles = 0;
  for (const CaseProfile& profile :
       {CaseProfile{.variant = "a", .steps = 4, .rows = {}}, profile_with({}),
        CaseProfile{.variant = "a", .steps = 0, .counters = counters, .rows = {}}}) {
    const Counted counted = counted_per_image(result_with_cpu_times({1}), profile);
    EXPECT_EQ(counted.cycles, std::nullopt);
    EXPECT_EQ(counted.instructions_per_cycle, std::nullopt);
    EXPECT_EQ(counted.cache_misses, std::nullopt);
    EXPECT_EQ(counted.joules, std::nullopt);
  }
  EXPECT_EQ(
      counted_per_image(result_with_cpu_times({1}), profile_with(counters)).instructions_per_cycle,
      std::nullopt);
}

}  // namespace
}  // namespace normbench::per_image_test
