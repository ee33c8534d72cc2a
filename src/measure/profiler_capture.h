/// Marks the part of a run that external profilers, such as Nsight Systems, record: the profile
/// pass.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "measure/watchdog.h"

namespace normbench {

/// begin() opens the NVTX range `capture`, and end() closes it. With `start_profiler`, begin() also
/// makes the backends start external profilers, and end() makes them stop these profilers. If a
/// backend fails to do so, the run continues. If a profiling tool hangs in end() for longer than
/// `limit_seconds`, `on_stuck` is called on another thread.
class ProfilerCapture {
 public:
  ProfilerCapture(const Backends& backends, bool start_profiler, double limit_seconds,
                  std::function<void()> on_stuck);
  ~ProfilerCapture();
  ProfilerCapture(const ProfilerCapture&) = delete;
  ProfilerCapture& operator=(const ProfilerCapture&) = delete;

  void begin();
  /// Ends the capture if it has begun. Returns why a profiler could not be started or stopped, or
  /// "".
  std::string end();

 private:
  void tell_backends(void (Backend::*what)());

  const Backends& backends_;
  bool start_profiler_;
  double limit_seconds_;
  std::function<void()> on_stuck_;
  std::optional<Watchdog> end_ = {};  // detects a hang in end(); set by begin()
  std::string missing_ = {};
};

}  // namespace normbench
