/// NVIDIA's tracer of kernels, copies and calls. cupti.cpp loads the library at run time;
/// cupti_absent.cpp stands in where its headers are missing.
#pragma once

#include <memory>
#include <string>

#include "record/clock.h"
#include "record/device_trace.h"

namespace normbench {

/// A tracer that attaches when it is first asked to. `library` is tried first, then the places
/// where CUDA Toolkits and Python environments have it, until one lets this process subscribe. Host
/// times are those of CLOCK_MONOTONIC.
std::unique_ptr<DeviceTracer> make_cupti_tracer(const std::string& library = "");

}  // namespace normbench
