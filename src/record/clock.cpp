#include "record/clock.h"

#include <sys/resource.h>

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

namespace {

std::int64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

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

}  // namespace normbench
