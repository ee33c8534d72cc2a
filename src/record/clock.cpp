#include "record/clock.h"

#include <sys/resource.h>

#include <ctime>

namespace normbench {

namespace {

Counters sum(const Counters& a, const Counters& b, int sign) {
  return {.minor_faults = a.minor_faults + sign * b.minor_faults,
          .major_faults = a.major_faults + sign * b.major_faults,
          .voluntary_switches = a.voluntary_switches + sign * b.voluntary_switches,
          .involuntary_switches = a.involuntary_switches + sign * b.involuntary_switches};
}

std::int64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Counters operator-(const Counters& a, const Counters& b) { return sum(a, b, -1); }
Counters operator+(const Counters& a, const Counters& b) { return sum(a, b, 1); }

std::int64_t SystemClock::now_ns() { return read_ns(CLOCK_MONOTONIC); }
std::int64_t SystemClock::cpu_ns() { return read_ns(CLOCK_PROCESS_CPUTIME_ID); }

Counters SystemClock::counters() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.minor_faults = usage.ru_minflt,
          .major_faults = usage.ru_majflt,
          .voluntary_switches = usage.ru_nvcsw,
          .involuntary_switches = usage.ru_nivcsw};
}

std::vector<QueueDelay> SystemClock::queue_delays() {
  return normbench::queue_delays("/proc/self/task");
}

}  // namespace normbench
