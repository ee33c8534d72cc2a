/// Facts about a GPU, and its current clocks, temperature and power.
#pragma once

#include <string>

#include "backend/cuda/nvml.h"
#include "core/json.h"

namespace normbench::cuda {

/// Returns the PCI bus id of a device in lower case, as in sysfs: "0000:1b:00.0". Throws CudaError.
std::string pci_bus_id(int device);

/// Returns name, uuid, versions, memory, caches, maximum clocks and PCIe link of a device. Facts
/// that cannot be read are null, and "nvml" tells why. Throws CudaError.
/// - If `ready` is true, CUDA reports the free memory, and the link is read while copies run.
/// - Otherwise NVML reports the free memory and the idle link, and no context is created.
Json describe_device(int device, const Nvml& nvml, bool ready);

/// Returns the current clocks in MHz, throttle reasons, temperature in °C, power and its limit in
/// W, energy in mJ, PCIe link, and the times of Nvml::held_back_ns(). Values that cannot be read
/// are null.
Json condition_of(const Nvml& nvml);

}  // namespace normbench::cuda
