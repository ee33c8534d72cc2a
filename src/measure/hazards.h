/// Where the host must wait for a device before it touches what the device still uses.
#pragma once

#include <vector>

#include "plan/plan.h"
#include "plan/storage.h"

namespace normbench {

/// Of one stage; slots are named by their roots.
struct Hazards {
  std::vector<int> watched;  // a device stage's, which a stage on the host waits for later
  std::vector<int> waits;    // a host stage's: the device must be done with them before it starts
};

/// The hazards of every stage, when its work is submitted inline by the host and done later by the
/// device: reading what a device stage wrote, and writing what one of this or an earlier iteration
/// uses. Waiting as the case does settles some: `wait: iteration` those between iterations, `wait:
/// stage` all.
std::vector<Hazards> hazards_of(const Case& work, const std::vector<Slot>& slots);

}  // namespace normbench
