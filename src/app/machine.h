/// This machine in documents, and what `normbench calibrate` found on it.
#pragma once

#include <string>

#include "backend/backend.h"
#include "core/json.h"

namespace normbench {

/// environment(machine), "places": {"cpu": "available", "cuda": why not}, "simd": the instruction
/// set that CPU kernels use, "simd_targets": all that they could, "gpu": what the CUDA backend says
/// of its device, null without one, and "nvtx".
Json described_machine(const Backends& backends, const std::string& machine);

/// "AMD EPYC, 2 cores", as a calibration names the machine: without the host's name.
std::string calibrated_machine(const Json& environment);

/// "$XDG_STATE_HOME/normbench/calibration.json", else in ~/.local/state; "" without a home.
std::string calibration_path();

/// What is kept of the machine that `environment` describes, and of the host that this is; null
/// without. A file that cannot be understood is said on stderr and not used.
Json load_calibration(const Json& environment);

/// Throws Invalid where a calibration could not be kept, as something else is in that file.
void check_kept_calibrations();

/// Keeps it beside those of other machines and returns the file's path. Throws CannotWrite, and
/// Invalid as check_kept_calibrations() does.
std::string store_calibration(const Json& environment, const Json& calibration);

}  // namespace normbench
