#include "record/clock.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <ctime>

namespace normbench::clock_test {
namespace {

TEST(Counters, AddAndSubtractFieldByField) {
  const Counters a{10, 20, 30, 40}, b{1, 2, 3, 4};
  EXPECT_EQ(a - b, (Counters{9, 18, 27, 36}));
  EXPECT_EQ(a + b, (Counters{11, 22, 33, 44}));
}

TEST(SystemClock, IsTheMonotonicClock) {
  const auto monotonic_ns = [] {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  SystemClock clock;
  const std::int64_t before = monotonic_ns();
  const std::int64_t now = clock.now_ns();
  EXPECT_LE(before, now);
  EXPECT_LE(now, monotonic_ns());
}

TEST(SystemClock, CpuTimeGrowsWithWork) {
  SystemClock clock;
  const std::int64_t start = clock.cpu_ns();
  volatile unsigned sum = 0;
  while (clock.cpu_ns() == start) sum = sum + 1;
  EXPECT_GT(clock.cpu_ns(), start);
}

TEST(SystemClock, CountsPageFaults) {
  constexpr std::size_t pages = 64, page_bytes = 4096;
  SystemClock clock;
  const Counters before = clock.counters();
  void* memory =
      mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * page_bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page_bytes] = 1;
  EXPECT_GE((clock.counters() - before).minor_faults, static_cast<std::int64_t>(pages));
  munmap(memory, pages * page_bytes);
}

}  // namespace
}  // namespace normbench::clock_test
