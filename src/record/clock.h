/// Reads the time and the counters of this process. Tests have other implementations of `Clock`.
#pragma once

#include <cstdint>
#include <vector>

#include "record/run_queue.h"

namespace normbench {

/// Page faults and context switches of this process, since its start or between two readings.
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
  /// Returns the time of a monotonic clock in ns.
  virtual std::int64_t now_ns() = 0;
  /// Returns the CPU time of all threads of this process in ns, since its start.
  virtual std::int64_t cpu_ns() = 0;
  virtual Counters counters() = 0;
  /// Returns how long each thread of the process has run and how long it has waited for a CPU.
  /// Empty if that is unknown.
  virtual std::vector<QueueDelay> queue_delays() { return {}; }
};

/// Reads CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, getrusage and /proc/self/task.
class SystemClock final : public Clock {
 public:
  std::int64_t now_ns() override;
  std::int64_t cpu_ns() override;
  Counters counters() override;
  std::vector<QueueDelay> queue_delays() override;
};

}  // namespace normbench
