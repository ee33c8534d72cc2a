#include "measure/host_use.h"

namespace normbench {

void HostUse::tell(Round& round) const {
  round.cpu_ns = clock_.cpu_ns() - cpu_ns_;
  round.counters = clock_.counters() - counters_;
  round.queued_ns = longest_delay(delays_, clock_.queue_delays(), round.wall_ns);
}

}  // namespace normbench
