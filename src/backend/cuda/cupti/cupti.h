/// CUPTI, NVIDIA's tracer of kernels, copies and calls. cupti_library.cpp loads it at run time.
/// cupti_absent.cpp replaces the tracer if CUPTI's headers are missing.
#pragma once

#include <memory>
#include <string>

#include "record/clock.h"
#include "record/device_trace.h"

namespace normbench {

/// Returns a tracer that loads CUPTI at its first attach(). If `library` is not empty, the tracer
/// tries it first. Then it tries the libraries of CUDA Toolkits and Python environments, until one
/// of them lets this process subscribe. Times of records are on CLOCK_MONOTONIC.
std::unique_ptr<DeviceTracer> make_cupti_tracer(const std::string& library = "");

}  // namespace normbench
