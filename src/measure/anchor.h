/// Ties a device's marks to the host's clock.
#pragma once

#include <cstdint>

#include "backend/backend.h"
#include "record/clock.h"

namespace normbench {

/// When mark 0 was reached on the host's clock, to within `error_ns` either way. A later mark was
/// reached `ns_between(0, mark)` after it.
struct Anchor {
  std::int64_t host_ns = 0;
  std::int64_t error_ns = 0;
};

/// Marks the queue several times, each between two readings of the clock that the mark must lie
/// between, and believes the closest pair. Forgets earlier marks; call when drained.
Anchor take_anchor(Queue& queue, Clock& clock);

/// Nanoseconds that one mark costs the host or the device, whichever takes longer. Forgets all
/// marks; call when drained.
double mark_cost_ns(Queue& queue, Clock& clock);

}  // namespace normbench
