/// The part of a run that profilers record: its profile pass.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "measure/watchdog.h"

namespace normbench {

/// The NVTX range `capture`. If `start_profiler` is set, the backends also start and stop profilers
/// around it. The failure of a backend does not end the run. If a tool hangs in end() for longer
/// than `limit_seconds`, `on_stuck` is called on another thread.
class ProfilerCapture {
 public:
  ProfilerCapture(const Backends& backends, bool start_profiler, double limit_seconds,
                  std::function<void()> on_stuck);
  ~ProfilerCapture();
  ProfilerCapture(const ProfilerCapture&) = delete;
  ProfilerCapture& operator=(const ProfilerCapture&) = delete;

  void begin();
  /// Ends the capture, if it has begun. Returns why a profiler was not started or stopped, or "".
  std::string end();

 private:
  void tell_backends(void (Backend::*what)());

  const Backends& backends_;
  bool start_profiler_;
  double limit_seconds_;
  std::function<void()> on_stuck_;
  std::optional<Watchdog> end_ = {};  // guards end(); set from begin() to end()
  std::string missing_ = {};
};

}  // namespace normbench
