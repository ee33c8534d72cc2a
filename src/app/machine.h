/// This machine in documents, and what `normbench calibrate` found on it.
#pragma once

#include <string>

#include "backend/backend.h"
#include "core/json.h"

namespace normbench {

/// The machine as documents have it: environment(machine), "places": {"cpu": "available", "cuda":
/// why not}, "simd": the instruction set of CPU kernels, "simd_targets": all possible ones, "gpu":
/// what the CUDA backend says of its device, null without one, and "nvtx".
Json described_machine(const Backends& backends, const std::string& machine);

/// "AMD EPYC, 2 cores": the machine's name in a calibration, without the host's name.
std::string calibrated_machine(const Json& environment);

/// "$XDG_STATE_HOME/normbench/calibration.json", else in ~/.local/state; "" without a home.
std::string calibration_path();

/// The calibration kept for the machine that `environment` describes and for this host; null
/// without one. A file that cannot be understood is reported on stderr and not used.
Json load_calibration(const Json& environment);

/// Throws Invalid where a calibration could not be kept because its file holds something else.
void check_kept_calibrations();

/// Keeps the calibration beside other machines' and returns the file's path. Throws CannotWrite,
/// and Invalid as check_kept_calibrations() does.
std::string store_calibration(const Json& environment, const Json& calibration);

}  // namespace normbench
