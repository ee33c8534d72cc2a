#include <gtest/gtest.h>

#include "measure/measure_group.h"
#include "measure/run_fixture.h"

namespace normbench::disturbed_rounds_test {
namespace {

class DisturbedRoundsTest : public RunTest {};

TEST_F(DisturbedRoundsTest, EachTurnIsReadBeforeItsWarmUpAndAfterIt) {
  add_group({cast_case("only", 0)});
  std::vector<std::int64_t> calls;  // how often the kernel had been called at each reading
  RunContext context{.backends = backends,
                     .clock = clock,
                     .recorder = recorder,
                     .watchdog = *watchdog,
                     .observer = observer,
                     .interrupted = interrupted,
                     .cache_bytes = cache_bytes,
                     .disturbance =
                         [&] {
                           calls.push_back(fake->rows[0].calls);
                           const auto reading = static_cast<std::int64_t>(calls.size());
                           return Disturbance{.steal_ns = reading * reading,
                                              .throttled_ns = 7,
                                              .frequency_khz = 1000 + reading};
                         },
                     .on_profile = {}};
  plan.measure.checked_calls = 2;  // no turns for checks
  const auto group = measure_group(plan, 0, context, 0);
  const auto& rounds = group->cases[0].rounds;
  ASSERT_EQ(calls.size(), 2 * rounds.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    EXPECT_EQ(calls[2 * i + 1] - calls[2 * i], 2);  // one warm-up and one iteration of 1 ms each
    const auto after = static_cast<std::int64_t>(2 * i + 2);
    EXPECT_EQ(
        rounds[i].disturbance,
        (Disturbance{.steal_ns = 2 * after - 1, .throttled_ns = 0, .frequency_khz = 1000 + after}));
  }
}

}  // namespace
}  // namespace normbench::disturbed_rounds_test
