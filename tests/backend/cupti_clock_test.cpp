#include "backend/cuda/cupti/cupti_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

namespace normbench::cupti::cupti_clock_test {
namespace {

TEST(CuptiClock, IsTheRecordersClock) {
  const auto recorder_ns = [] {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  };
  const std::uint64_t before = recorder_ns();
  const std::uint64_t now = monotonic_ns();
  EXPECT_LE(before, now);
  EXPECT_LE(now, recorder_ns());
}

TEST(CuptiClock, OneClockNeedsNoMap) {
  const ClockMap clock;
  EXPECT_EQ(clock.host_ns(123'456'789'012), 123'456'789'012);
  EXPECT_EQ(clock.error_ns(), 0);
}

TEST(CuptiClock, AClockThatIsAheadIsMovedBack) {
  const ClockMap clock({.host_ns = 1000, .cupti_ns = 1'700'000'000'000'000'000, .error_ns = 20},
                       {.host_ns = 9000, .cupti_ns = 1'700'000'000'000'008'000, .error_ns = 30});
  EXPECT_EQ(clock.host_ns(1'700'000'000'000'000'000), 1000);
  EXPECT_EQ(clock.host_ns(1'700'000'000'000'002'500), 3500);
  EXPECT_EQ(clock.host_ns(1'700'000'000'000'009'000), 10'000);
  EXPECT_EQ(clock.host_ns(1'699'999'999'999'999'500), 500);
  EXPECT_EQ(clock.error_ns(), 50);
}

TEST(CuptiClock, AClockThatDriftsIsMapped) {
  const ClockMap clock({.host_ns = 0, .cupti_ns = 0, .error_ns = 20},
                       {.host_ns = 1'000'100'000, .cupti_ns = 1'000'000'000, .error_ns = 20});
  EXPECT_EQ(clock.host_ns(500'000'000), 500'050'000);
  EXPECT_EQ(clock.host_ns(1'000'000'000), 1'000'100'000);
  EXPECT_EQ(clock.error_ns(), 40);
}

TEST(CuptiClock, AClockThatWasSetMakesTheErrorAsLarge) {
  const ClockMap clock({.host_ns = 0, .cupti_ns = 0, .error_ns = 20},
                       {.host_ns = 1'000'000'000, .cupti_ns = 3'000'000'000, .error_ns = 40});
  EXPECT_EQ(clock.error_ns(), 2'000'000'060);
}

TEST(CuptiClock, AClockThatStoodStillIsOnlyMoved) {
  const ClockMap clock({.host_ns = 1000, .cupti_ns = 500, .error_ns = 5},
                       {.host_ns = 2000, .cupti_ns = 500, .error_ns = 5});
  EXPECT_EQ(clock.host_ns(600), 1100);
  EXPECT_EQ(clock.error_ns(), 1010);
}

/// Reads a clock that is 5 s ahead of the host's.
CUptiResult ahead(std::uint64_t* timestamp) {
  *timestamp = monotonic_ns() + 5'000'000'000;
  return CUPTI_SUCCESS;
}

TEST(CuptiClock, AnAnchorLiesWithinItsError) {
  Functions functions;
  functions.get_timestamp = &ahead;
  const Anchor anchor = take_anchor(functions);
  EXPECT_LE(std::abs(anchor.cupti_ns - 5'000'000'000 - anchor.host_ns), anchor.error_ns);
}

}  // namespace
}  // namespace normbench::cupti::cupti_clock_test
