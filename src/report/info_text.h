/// What `normbench info` shows: a machine, what measuring costs on it, its limits, what it lacks.
#pragma once

#include <string>

#include "analysis/machine_limits.h"
#include "core/json.h"

namespace normbench {

/// The document in sections, at most 100 columns wide: {"tool", "environment", "pci_gpus", "costs",
/// "limits" (absent when not measured), "missing"}. What is null there is left out or said.
std::string info_text(const Json& info);

/// The limits as tables: host memory by threads, the rest with a row each. "" for none.
std::string machine_limits_text(const Json& limits);

/// A limit as `info` keeps it, with "bytes_per_second" and "ns_per_fault" where they mean something.
Json to_json(const MachineLimit& limit);

}  // namespace normbench
