/// The PCIe link as it is while copies run: an idle GPU may slow it down.
#pragma once

#include "backend/cuda/nvml.h"

namespace normbench::cuda {

struct LoadedLink {
  Nvml::Link link;
  bool loaded = false;  // false: read while idle, since NVML or the memory for copies is missing
};

/// Keeps pinned copies to the device in flight until the link is as fast as it can be, at most for
/// ten times 256 MiB, and reads it meanwhile. Throws CudaError, but not for want of memory.
LoadedLink link_under_load(int device, const Nvml& nvml);

}  // namespace normbench::cuda
