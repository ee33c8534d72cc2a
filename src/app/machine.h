/// The description of this machine in documents, and the file that stores calibrations.
#pragma once

#include <string>

#include "backend/backend.h"
#include "core/json.h"

namespace normbench {

/// Returns the description of the machine for documents: environment(machine) and these members.
/// - "places": for "cpu" and for "cuda", "available" or why it is not.
/// - "simd": the instruction set that CPU kernels use. "simd_targets": all instruction sets that
///   can run here.
/// - "gpu": the CUDA backend's description of the device; null without a device.
/// - "nvtx": "available", or why it is missing.
Json described_machine(const Backends& backends, const std::string& machine);

/// Returns the name of a machine for its calibration, like "AMD EPYC, 2 cores". It does not contain
/// the host's name.
std::string calibrated_machine(const Json& environment);

/// Returns the path of normbench/calibration.json in $XDG_STATE_HOME, or else in
/// $HOME/.local/state. Returns "" if neither variable is an absolute path.
std::string calibration_path();

/// Returns the calibration that was stored on this host for the machine that `environment`
/// describes; null if there is none. A file that cannot be understood is reported on stderr and not
/// used.
Json load_calibration(const Json& environment);

/// Throws Invalid if the file at calibration_path() contains something other than calibrations, so
/// that store_calibration() would fail.
void check_kept_calibrations();

/// Adds the calibration to the file at calibration_path(), beside those of other machines, and
/// returns that path. Throws CannotWrite, and Invalid as check_kept_calibrations() does.
std::string store_calibration(const Json& environment, const Json& calibration);

}  // namespace normbench
