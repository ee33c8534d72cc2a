/// A machine in the words of people, fact by fact.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/json.h"

namespace normbench {

/// Labels and values; what is not known has no value.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Processor, caches, memory, container, load and system of a document's environment.
Facts machine_facts(const Json& environment);

/// The GPU of the environment, or that there is none; and those on the bus that CUDA does not use.
Facts gpu_facts(const Json& environment, const Json& pci_gpus);

}  // namespace normbench
