/// Measures what this process uses of the host in a turn, besides wall time: CPU time, page faults,
/// context switches, and waits for processors. The system calls that read these counts take time,
/// so they are made before and after the timed part.
#pragma once

#include <vector>

#include "document/results.h"
#include "record/clock.h"

namespace normbench {

/// The constructor reads the present counts. tell() reads them again and stores the differences.
class HostUse {
 public:
  explicit HostUse(Clock& clock)
      : clock_(clock),
        delays_(clock.queue_delays()),
        counters_(clock.counters()),
        cpu_ns_(clock.cpu_ns()) {}

  /// Stores in `round` what has been used since the construction. `round.wall_ns` must be set
  /// already.
  void tell(Round& round) const;

 private:
  Clock& clock_;
  std::vector<QueueDelay> delays_;
  Counters counters_;
  std::int64_t cpu_ns_;
};

}  // namespace normbench
