/// What `normbench info` shows: a machine, what measuring costs on it, its limits, what it lacks.
#pragma once

#include "analysis/machine_limits.h"
#include "core/text.h"

namespace normbench {

/// The document {"tool", "environment", "pci_gpus", "costs", "missing"} and the limits in sections,
/// as wide as the screen. Null values are left out, or said to be unknown.
std::string info_text(const Json& info, const std::vector<MachineLimit>& limits,
                      const Screen& screen = {});

/// The limits as a table; the host's have a column for each number of threads. "" without any.
std::string machine_limits_text(const std::vector<MachineLimit>& limits, const Screen& screen = {});

/// A limit as a document of `info` has it, with "bytes_per_second" and "ns_per_fault" where they
/// mean something.
Json to_json(const MachineLimit& limit);

}  // namespace normbench
