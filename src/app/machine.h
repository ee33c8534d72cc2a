/// The environment of a run with what this build and its places add to it.
#pragma once

#include <string>

#include "backend/backend.h"
#include "core/json.h"
#include "machine/environment.h"

namespace normbench {

/// environment(machine), "places": {"cpu": "available", "cuda": why not}, "simd": the instruction
/// set that CPU kernels use, "simd_targets": all that they could, "gpu": what the CUDA backend says
/// of its device, null without one, and "nvtx".
Json described_machine(const Backends& backends, const std::string& machine);

/// What this machine, its settings or this build lack, by name: {"cuda": {"name", "why", "means"},
/// "perf_events": …}; `means` is what it does to the numbers.
Json missing_parts(const Json& environment);

}  // namespace normbench
