#include "machine/hardware_counters.h"

#include <gmock/gmock.h>

#include "core/system_error.h"
#include "machine/fake_perf_events.h"

namespace normbench::hardware_counters_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(CounterReading, IsScaledByTheShareOfTimeItCounted) {
  EXPECT_EQ(scaled({.value = 1'000, .enabled_ns = 50, .running_ns = 50}), 1'000);
  EXPECT_EQ(scaled({.value = 1'000, .enabled_ns = 300, .running_ns = 100}), 3'000);
  EXPECT_EQ(scaled({.value = 1, .enabled_ns = 5, .running_ns = 2}), 3);  // 2.5, rounded
  EXPECT_EQ(scaled({.value = 7, .enabled_ns = 99, .running_ns = 100}), 7);
  EXPECT_EQ(scaled({.value = 1ull << 62, .enabled_ns = 1, .running_ns = 1}), 1ll << 62);
}

TEST(CounterReading, OfAThreadThatSleptIsZeroAndOneNeverCountedNothing) {
  EXPECT_EQ(scaled({.value = 0, .enabled_ns = 0, .running_ns = 0}), 0);
  EXPECT_EQ(scaled({.value = 0, .enabled_ns = 10, .running_ns = 0}), std::nullopt);
}

TEST(PerfEventFailure, SaysWhatWouldHelp) {
  EXPECT_EQ(perf_event_failure(EACCES, 3, false),
            "perf_event_paranoid is 3 (2 or less lets a user count: sysctl "
            "kernel.perf_event_paranoid=2)");
  EXPECT_EQ(perf_event_failure(EPERM, 4, true),
            "perf_event_paranoid is 4 (2 or less lets a user count: sysctl "
            "kernel.perf_event_paranoid=2)");
  EXPECT_EQ(perf_event_failure(EPERM, 2, false),
            "not permitted in this container (EPERM: seccomp or a security module)");
  EXPECT_EQ(perf_event_failure(EACCES, std::nullopt, false),
            "not permitted in this container (EACCES: seccomp or a security module)");
  EXPECT_EQ(perf_event_failure(ENOSYS, 4, false),
            "not permitted in this container (ENOSYS: seccomp or a security module)");
  EXPECT_EQ(perf_event_failure(ENOENT, 2, true),
            "no hardware counters in this virtual machine (ENOENT)");
  EXPECT_EQ(perf_event_failure(EOPNOTSUPP, 2, false),
            "no hardware counters of this processor here (EOPNOTSUPP)");
  EXPECT_EQ(perf_event_failure(EMFILE, 2, false),
            "no counter for each thread: " + system_error_text(EMFILE));
  EXPECT_EQ(perf_event_failure(EINVAL, 2, false),
            "perf_event_open fails (EINVAL: Invalid argument)");
}

TEST(HardwareCounters, AreAGroupPerThreadSummedOverThreads) {
  FakePerfEvents events;
  {
    HardwareCounters counters(events);
    counters.enable(true);
    counters.enable(false);
    const HardwareCounts counts = counters.counts();
    EXPECT_EQ(counts.cycles, 107 + 108);
    EXPECT_EQ(counts.instructions, 207 + 208);
    EXPECT_EQ(counts.cache_misses, 307 + 308);
    EXPECT_EQ(counts.missing, "");
    EXPECT_THAT(events.closed, IsEmpty());
  }
  std::vector<std::string> opened;
  for (const auto& [descriptor, one] : events.opened)
    opened.push_back(fmt::format("{}: {} of {} in {}", descriptor, static_cast<int>(one.event),
                                 one.thread, one.group));
  EXPECT_THAT(opened, ElementsAre("3: 0 of 7 in -1", "4: 1 of 7 in 3", "5: 2 of 7 in 3",
                                  "6: 0 of 8 in -1", "7: 1 of 8 in 6", "8: 2 of 8 in 6"));
  EXPECT_THAT(events.switches,
              ElementsAre(Pair(3, true), Pair(6, true), Pair(3, false), Pair(6, false)));
  EXPECT_THAT(events.closed, ElementsAre(3, 4, 5, 6, 7, 8));
}

TEST(HardwareCounters, ThatAreNotAllowedSayWhyOnce) {
  FakePerfEvents events;
  events.fails = [](HardwareEvent, int) { return EACCES; };
  HardwareCounters counters(events);
  counters.enable(true);
  const HardwareCounts counts = counters.counts();
  EXPECT_EQ(counts.cycles, std::nullopt);
  EXPECT_EQ(counts.instructions, std::nullopt);
  EXPECT_EQ(counts.cache_misses, std::nullopt);
  EXPECT_EQ(counts.missing, fmt::format("error {}", EACCES));
  EXPECT_THAT(events.switches, IsEmpty());
}

TEST(HardwareCounters, OfSomeThreadsOnlyAreNone) {
  FakePerfEvents events;
  events.fails = [](HardwareEvent, int thread) { return thread == 8 ? EMFILE : 0; };
  const HardwareCounters counters(events);
  EXPECT_EQ(counters.counts().cycles, std::nullopt);
  EXPECT_EQ(counters.counts().missing, fmt::format("error {}", EMFILE));
  EXPECT_THAT(events.closed, ElementsAre(3, 4, 5));
}

TEST(HardwareCounters, AnEventThatIsNotThereLeavesTheOthers) {
  FakePerfEvents events;
  events.fails = [](HardwareEvent event, int) {
    return event == HardwareEvent::CacheMisses ? ENOENT : 0;
  };
  const HardwareCounts counts = HardwareCounters(events).counts();
  EXPECT_EQ(counts.cycles, 107 + 108);
  EXPECT_EQ(counts.instructions, 207 + 208);
  EXPECT_EQ(counts.cache_misses, std::nullopt);
  EXPECT_EQ(counts.missing, fmt::format("no LLC misses: error {}", ENOENT));
}

TEST(HardwareCounters, AThreadThatHasEndedCountsNothing) {
  FakePerfEvents events;
  events.fails = [](HardwareEvent, int thread) { return thread == 7 ? ESRCH : 0; };
  const HardwareCounts counts = HardwareCounters(events).counts();
  EXPECT_EQ(counts.cycles, 108);
  EXPECT_EQ(counts.missing, "");
}

TEST(HardwareCounters, OccupiedByAnotherProgramAreMissing) {
  FakePerfEvents events;
  events.reading = [](HardwareEvent, int thread) {
    return CounterReading{.value = 0, .enabled_ns = 10, .running_ns = thread == 7 ? 10u : 0u};
  };
  const HardwareCounts counts = HardwareCounters(events).counts();
  EXPECT_EQ(counts.cycles, std::nullopt);
  EXPECT_EQ(counts.missing, "the counters were never free: perf or another profiler uses them");
}

TEST(KernelPerfEvents, CountOrSayWhyNot) {
  KernelPerfEvents events;
  HardwareCounters counters(events);
  counters.enable(true);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) sum += i;
  counters.enable(false);
  EXPECT_EQ(sum, 4'999'950'000);
  const HardwareCounts counts = counters.counts();
  EXPECT_EQ(counts.cycles.has_value(), counts.missing.empty() || counts.instructions.has_value());
  EXPECT_GT(counts.instructions.value_or(1'000'000), 100'000);
}

}  // namespace
}  // namespace normbench::hardware_counters_test
