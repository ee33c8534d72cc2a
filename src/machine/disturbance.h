/// What the machine did to this process besides letting it work.
#pragma once

#include <cstdint>

namespace normbench {

/// Over a stretch of time, but for the frequency. Zero where the machine does not say.
struct Disturbance {
  std::int64_t steal_ns = 0;       // the hypervisor gave a processor of ours to others
  std::int64_t throttled_ns = 0;   // the container's CPU quota held its processes back
  std::int64_t frequency_khz = 0;  // mean of the processors at the end

  bool operator==(const Disturbance&) const = default;
};

}  // namespace normbench
