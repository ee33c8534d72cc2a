/// What profilers record of a run: its profile pass.
#pragma once

#include "measure/watchdog.h"

namespace normbench {

struct RunContext;

/// The NVTX range `capture`, and around it what a run that starts profilers itself has its
/// backends do. A backend that cannot says so in `context.uncaptured`; that ends nothing. A tool
/// may not return from the end: after `limit_seconds` of it `context.on_stuck` is called.
class ProfilerCapture {
 public:
  ProfilerCapture(RunContext& context, double limit_seconds);
  ~ProfilerCapture();
  ProfilerCapture(const ProfilerCapture&) = delete;
  ProfilerCapture& operator=(const ProfilerCapture&) = delete;

 private:
  RunContext& context_;
  Watchdog end_;
};

}  // namespace normbench
