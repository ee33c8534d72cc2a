/// What profilers record of a run: its profile pass.
#pragma once

namespace normbench {

struct RunContext;

/// The NVTX range `capture`, and around it what a run that starts profilers itself has its
/// backends do. A backend that cannot says so in `context.uncaptured`; that ends nothing.
class ProfilerCapture {
 public:
  explicit ProfilerCapture(RunContext& context);
  ~ProfilerCapture();
  ProfilerCapture(const ProfilerCapture&) = delete;
  ProfilerCapture& operator=(const ProfilerCapture&) = delete;

 private:
  RunContext& context_;
};

}  // namespace normbench
