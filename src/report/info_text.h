/// The texts of `normbench info`: the machine, what measuring costs on it, its limits (the rates
/// that it reaches), and what it lacks.
#pragma once

#include "analysis/machine_limits.h"
#include "core/text.h"

namespace normbench {

/// Returns text that fits the screen. `info` is an object {"tool", "environment", "pci_gpus",
/// "costs", "missing"}. The text has a section for each of these members, and one for the limits. A
/// value that is null or missing is left out, or shown as "unknown" or "?".
std::string info_text(const Json& info, const std::vector<MachineLimit>& limits,
                      const Screen& screen = {});

/// Returns the limits as a table, or "" if there are none. The table has a column for each number
/// of threads, with the limits of the host, and a column with the limits of the GPU.
std::string machine_limits_text(const std::vector<MachineLimit>& limits, const Screen& screen = {});

/// Returns a limit as an element of the JSON document of `normbench info`. It has
/// "bytes_per_second" if the limit moves bytes, and "ns_per_fault" if it causes page faults.
Json to_json(const MachineLimit& limit);

}  // namespace normbench
