/// GPUs on the PCI bus, whether or not CUDA can use them.
#pragma once

#include "core/json.h"

namespace normbench {

/// [{"bus_id": "0000:17:00.0", "vendor", "name", "numa_node"}], as hwloc sees them; names and node
/// are null where they are not known. Empty where the bus cannot be seen.
Json pci_gpus();

}  // namespace normbench
