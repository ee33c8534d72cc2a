/// The host's resources, apart from time, that a process uses. They are read before and after the
/// timed part, since the system calls that read them take time.
#pragma once

#include <vector>

#include "document/results.h"
#include "record/clock.h"

namespace normbench {

/// The constructor reads what has been used so far.
class HostUse {
 public:
  explicit HostUse(Clock& clock)
      : clock_(clock),
        delays_(clock.queue_delays()),
        counters_(clock.counters()),
        cpu_ns_(clock.cpu_ns()) {}

  /// Stores in `round` what has been used since the construction. The round's wall time must be
  /// set.
  void tell(Round& round) const;

 private:
  Clock& clock_;
  std::vector<QueueDelay> delays_;
  Counters counters_;
  std::int64_t cpu_ns_;
};

}  // namespace normbench
