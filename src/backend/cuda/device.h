/// What a GPU is, and the state it is in: facts for the environment and between groups.
#pragma once

#include <string>

#include "backend/cuda/nvml.h"
#include "core/json.h"

namespace normbench::cuda {

/// "0000:1b:00.0", in lower case as sysfs has it; the runtime gives upper case. Throws CudaError.
std::string pci_bus_id(int device);

/// Name, uuid, versions, memory and what is free of it, caches, clock maxima and the PCIe link of a
/// device; null is what cannot be read, "nvml" says why. A device that is `ready`, with a context,
/// says itself what memory is free, and its link is read while copies run over it; for any other
/// NVML is asked, and no context is made. Throws CudaError.
Json describe_device(int device, const Nvml& nvml, bool ready);

/// Clocks in MHz, throttle reasons, temperature, power in W and the link, as they are now; and for
/// how long each reason has held the clocks back so far.
Json condition_of(const Nvml& nvml);

}  // namespace normbench::cuda
