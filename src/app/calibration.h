/// What `normbench calibrate` found, kept for this machine's later runs.
#pragma once

#include <string>

#include "core/json.h"

namespace normbench {

/// "$XDG_STATE_HOME/normbench/calibration.json", with ~/.local/state where that is not set (or not
/// absolute); "" without a home.
std::string calibration_path();

/// "AMD EPYC, 2 cores", as a calibration names the machine: without the host's name.
std::string calibrated_machine(const Json& environment);

/// What is kept of the machine that `environment` describes, and of the host that this is; null
/// without. A file that cannot be understood is said on stderr and not used.
Json load_calibration(const Json& environment);

/// Keeps it beside those of other machines and returns the file's path. Throws CannotWrite.
std::string store_calibration(const Json& environment, const Json& calibration);

}  // namespace normbench
