/// What a process uses of the host beside time. It is read before and after what is timed, since
/// the system calls that tell it take time of their own.
#pragma once

#include <vector>

#include "document/results.h"
#include "record/clock.h"

namespace normbench {

/// Reads what has been used so far when it is made.
class HostUse {
 public:
  explicit HostUse(Clock& clock)
      : clock_(clock),
        delays_(clock.queue_delays()),
        counters_(clock.counters()),
        cpu_ns_(clock.cpu_ns()) {}

  /// Tells the round what has been used since; its wall time is known by then.
  void tell(Round& round) const;

 private:
  Clock& clock_;
  std::vector<QueueDelay> delays_;
  Counters counters_;
  std::int64_t cpu_ns_;
};

}  // namespace normbench
