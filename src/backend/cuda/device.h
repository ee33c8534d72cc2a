/// What a GPU is, and the state that it is in: facts for the environment and between groups.
#pragma once

#include <string>

#include "backend/cuda/nvml.h"
#include "core/json.h"

namespace normbench::cuda {

/// Returns "0000:1b:00.0", in lower case as in sysfs. The runtime gives upper case. Throws
/// CudaError.
std::string pci_bus_id(int device);

/// Returns name, uuid, versions, memory, caches, maximum clocks and PCIe link of a device. Facts
/// that cannot be read are null, and "nvml" tells why. A `ready` device has a context. It reports
/// its own free memory, and its link is read while copies run over it. For any other device NVML is
/// asked, and no context is made. Throws CudaError.
Json describe_device(int device, const Nvml& nvml, bool ready);

/// Returns the current clocks in MHz, throttle reasons, temperature, power in W and link. Also
/// returns for how long each reason has held the clocks back so far.
Json condition_of(const Nvml& nvml);

}  // namespace normbench::cuda
