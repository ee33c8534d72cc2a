/// What `normbench info` shows: a machine, what measuring costs on it, its limits, what it lacks.
#pragma once

#include "analysis/machine_limits.h"
#include "core/text.h"

namespace normbench {

/// The document {"tool", "environment", "pci_gpus", "costs", "missing"} and the limits in sections,
/// as wide as the screen. What is null there is left out or said.
std::string info_text(const Json& info, const std::vector<MachineLimit>& limits,
                      const Screen& screen = {});

/// The limits as a table: those of the host with a column for each number of threads. "" for none.
std::string machine_limits_text(const std::vector<MachineLimit>& limits, const Screen& screen = {});

/// A limit as `info` keeps it, with "bytes_per_second" and "ns_per_fault" where they mean
/// something.
Json to_json(const MachineLimit& limit);

}  // namespace normbench
