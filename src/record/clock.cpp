#include "record/clock.h"

#include <sys/resource.h>

#include <chrono>
#include <ctime>

namespace normbench {

Counters operator-(const Counters& a, const Counters& b) {
  return {.minor_faults = a.minor_faults - b.minor_faults,
          .major_faults = a.major_faults - b.major_faults,
          .voluntary_switches = a.voluntary_switches - b.voluntary_switches,
          .involuntary_switches = a.involuntary_switches - b.involuntary_switches};
}

Counters operator+(const Counters& a, const Counters& b) {
  return {.minor_faults = a.minor_faults + b.minor_faults,
          .major_faults = a.major_faults + b.major_faults,
          .voluntary_switches = a.voluntary_switches + b.voluntary_switches,
          .involuntary_switches = a.involuntary_switches + b.involuntary_switches};
}

std::int64_t SystemClock::now_ns() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count();
}

std::int64_t SystemClock::cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Counters SystemClock::counters() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.minor_faults = usage.ru_minflt,
          .major_faults = usage.ru_majflt,
          .voluntary_switches = usage.ru_nvcsw,
          .involuntary_switches = usage.ru_nivcsw};
}

}  // namespace normbench
