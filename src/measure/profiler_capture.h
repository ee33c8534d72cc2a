/// What profilers record of a run: its profile pass.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "measure/watchdog.h"

namespace normbench {

/// The NVTX range `capture`, and around it, if profilers are to be started, what the backends do
/// for that. A backend that cannot ends nothing. A tool may not return from the end: after
/// `limit_seconds` of it `on_stuck` is called, on another thread.
class ProfilerCapture {
 public:
  ProfilerCapture(const Backends& backends, bool start_profiler, double limit_seconds,
                  std::function<void()> on_stuck);
  ~ProfilerCapture();
  ProfilerCapture(const ProfilerCapture&) = delete;
  ProfilerCapture& operator=(const ProfilerCapture&) = delete;

  void begin();
  /// Ends it, if it was begun. Why no profiler was started, or stopped; "" where that went well.
  std::string end();

 private:
  void tell_backends(void (Backend::*what)());

  const Backends& backends_;
  bool start_profiler_;
  double limit_seconds_;
  std::function<void()> on_stuck_;
  std::optional<Watchdog> end_ = {};  // from its beginning to its end
  std::string missing_ = {};
};

}  // namespace normbench
