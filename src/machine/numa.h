/// Which NUMA node memory comes from, on machines with several.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "machine/topology.h"

namespace normbench {

/// The node of each of these CPUs; none where that of one is not known.
std::vector<int> nodes_of(std::span<const int> cpus, std::span<const HardwareThread> threads);

/// Runs `work`; pages that this thread touches first meanwhile come from `node` while that has any.
/// Returns why they do not, or "".
std::string run_near(int node, const std::function<void()>& work);

}  // namespace normbench
