/// The environment of a run with what this build and its places add to it.
#pragma once

#include <string>

#include "backend/backend.h"
#include "core/json.h"
#include "measure/environment.h"

namespace normbench {

/// environment(machine) and "places": {"cpu": "available", "cuda": why not, "nvtx": …}.
Json described_machine(const Backends& backends, const std::string& machine);

}  // namespace normbench
