/// The profile pass: a few recorded iterations of each case, for the table and the trace only.
#pragma once

#include <cstddef>

#include "document/results.h"
#include "measure/device_tracing.h"
#include "measure/runner.h"
#include "plan/plan.h"

namespace normbench {

/// The NVTX range `capture`, and around it what a run that starts profilers itself has its
/// backends do. A backend that cannot says so in `context.uncaptured`; that ends nothing.
class ProfilerCapture {
 public:
  explicit ProfilerCapture(RunContext& context);
  ~ProfilerCapture();
  ProfilerCapture(const ProfilerCapture&) = delete;
  ProfilerCapture& operator=(const ProfilerCapture&) = delete;

 private:
  void tell_backends(void (Backend::*what)());

  RunContext& context_;
};

/// Profiles every case of the group that is ok, measured or not, and fills `result.profile`; what
/// peers do is not seen here. Errors become notes of the case, and so does a tracer that fails: the
/// case is then profiled without it. False when interrupted, with `result.profile` untouched.
bool profile_group(const Plan& plan, std::size_t index, RunContext& context, DeviceTracing& tracing,
                   GroupResult& result);

}  // namespace normbench
