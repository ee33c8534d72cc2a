#include "measure/costs.h"

#include <gtest/gtest.h>

#include "fake_backend.h"

namespace normbench::costs_test {
namespace {

TEST(MeasuringCosts, AreThoseOfTheCalls) {
  FakeClock clock;
  clock.reading_ns = 20;
  // A reading of the clock takes 20 ns, and a recorded range reads it twice. The timing of 2,000
  // repetitions includes one more reading, which adds 20 / 2,000 ns to each repetition.
  EXPECT_EQ(measuring_costs(clock), (MeasuringCosts{.clock_ns = 20,
                                                    .clock_step_ns = 20,
                                                    .range_recorded_ns = 40.01,
                                                    .range_ns = 0.01,
                                                    .nvtx_ns = 0.01}));
}

TEST(MeasuringCosts, OfAClockThatStandsHaveNoStep) {
  FakeClock clock;
  EXPECT_EQ(measuring_costs(clock), MeasuringCosts{});
}

TEST(MeasuringCosts, HereAreNanoseconds) {
  SystemClock clock;
  const MeasuringCosts costs = measuring_costs(clock);
  EXPECT_GE(costs.clock_step_ns, 1);
  EXPECT_LT(costs.clock_step_ns, 100'000);
  EXPECT_GE(costs.range_recorded_ns, costs.range_ns);
}

TEST(MeasuringCosts, AreADocument) {
  EXPECT_EQ(to_json(MeasuringCosts{.clock_ns = 21.5,
                                   .clock_step_ns = 1,
                                   .range_recorded_ns = 60,
                                   .range_ns = 2,
                                   .nvtx_ns = 1}),
            (Json{{"clock_ns", 21.5},
                  {"clock_step_ns", 1},
                  {"range_recorded_ns", 60.0},
                  {"range_ns", 2.0},
                  {"nvtx_ns", 1.0}}));
}

}  // namespace
}  // namespace normbench::costs_test
