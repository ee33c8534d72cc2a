#include "measure/watchdog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

namespace normbench::watchdog_test {
namespace {

using Hung = std::pair<std::size_t, std::string>;

TEST(Watchdog, TellsOfATurnThatDoesNotEnd) {
  std::promise<Hung> hung;
  Watchdog watchdog(0, [&](std::size_t group, const std::string& contender) {
    hung.set_value({group, contender});
  });
  watchdog.arm(3, "CPU");
  EXPECT_EQ(hung.get_future().get(), Hung(3, "CPU"));
}

TEST(Watchdog, TellsOnce) {
  std::promise<Hung> first;
  int calls = 0;
  {
    Watchdog watchdog(0, [&](std::size_t group, const std::string& contender) {
      if (++calls == 1) first.set_value({group, contender});
    });
    watchdog.arm(1, "a");
    first.get_future().wait();
    watchdog.arm(2, "b");
  }
  EXPECT_EQ(calls, 1);
}

TEST(Watchdog, TellsOfTheTurnThatIsArmedNow) {
  std::promise<Hung> hung;
  Watchdog watchdog(0, [&](std::size_t group, const std::string& contender) {
    hung.set_value({group, contender});
  });
  watchdog.disarm();
  watchdog.arm(1, "ends");
  watchdog.disarm();
  watchdog.arm(2, "hangs");
  const Hung said = hung.get_future().get();
  // With a limit of zero, the turn of contender "ends" may also count as hung. In either case, the
  // reported group and contender must belong to the same turn.
  EXPECT_TRUE(said == Hung(2, "hangs") || said == Hung(1, "ends"));
}

TEST(Watchdog, ATurnThatEndsWhileItActsGoesNoFurther) {
  std::promise<void> acting, ended;
  auto has_ended = ended.get_future();
  bool alone = false;
  Watchdog watchdog(0, [&](std::size_t, const std::string&) {
    acting.set_value();
    alone = has_ended.wait_for(std::chrono::milliseconds(100)) == std::future_status::timeout;
  });
  watchdog.arm(0, "slow");
  acting.get_future().wait();
  watchdog.disarm();
  ended.set_value();
  EXPECT_TRUE(alone);
}

TEST(Watchdog, IsSilentWithinTheLimitAndEndsAtOnce) {
  int calls = 0;
  {
    Watchdog watchdog(1e300, [&](std::size_t, const std::string&) { ++calls; });
    for (int i = 0; i < 1000; ++i) {
      watchdog.arm(i, "turn");
      watchdog.disarm();
    }
    watchdog.arm(0, "still running");
  }
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace normbench::watchdog_test
