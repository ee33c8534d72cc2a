/// Time and counters of this process, behind an interface so that tests need no real clock.
#pragma once

#include <cstdint>
#include <vector>

#include "record/run_queue.h"

namespace normbench {

/// What the process has counted since it started.
struct Counters {
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;

  bool operator==(const Counters&) const = default;
};

Counters operator-(const Counters& a, const Counters& b);
Counters operator+(const Counters& a, const Counters& b);

class Clock {
 public:
  virtual ~Clock() = default;
  /// Returns the ns of a monotonic clock (CLOCK_MONOTONIC, which CUPTI can use, too).
  virtual std::int64_t now_ns() = 0;
  /// Returns the CPU time of all threads of the process in ns.
  virtual std::int64_t cpu_ns() = 0;
  virtual Counters counters() = 0;
  /// Returns how long every thread of the process ran and waited; empty if that is not known.
  virtual std::vector<QueueDelay> queue_delays() { return {}; }
};

/// The machine's own clock: CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, getrusage and /proc.
class SystemClock final : public Clock {
 public:
  std::int64_t now_ns() override;
  std::int64_t cpu_ns() override;
  Counters counters() override;
  std::vector<QueueDelay> queue_delays() override;
};

}  // namespace normbench
