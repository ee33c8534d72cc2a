/// What a profiling tool that waits for it records: the profile pass and nothing else.
#pragma once

#include "measure/runner.h"

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
  std::optional<CaptureRange> range_;
};

}  // namespace normbench
