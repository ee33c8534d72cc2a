/// What `normbench info` shows: a machine, what measuring costs on it, its limits, what it lacks.
#pragma once

#include "analysis/machine_limits.h"
#include "core/text.h"

namespace normbench {

/// Returns the object {"tool", "environment", "pci_gpus", "costs", "missing"} and the limits as
/// sections of text, as wide as the screen. Values that are null or missing are left out, or shown
/// as "unknown" or "?".
std::string info_text(const Json& info, const std::vector<MachineLimit>& limits,
                      const Screen& screen = {});

/// Returns the limits as a table; "" without any. Limits of the host have a column for each number
/// of threads.
std::string machine_limits_text(const std::vector<MachineLimit>& limits, const Screen& screen = {});

/// Returns a limit for the document of `info`. It has "bytes_per_second" if it moves bytes, and
/// "ns_per_fault" if it causes page faults.
Json to_json(const MachineLimit& limit);

}  // namespace normbench
