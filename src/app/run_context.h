/// What measuring in this process needs.
#pragma once

#include "backend/backend.h"
#include "measure/runner.h"
#include "measure/watchdog.h"
#include "record/clock.h"
#include "record/recorder.h"

namespace normbench {

/// A RunContext of this process and machine, with the clock, recorder and watchdog that it uses.
struct OwnRunContext {
  /// `on_hung` ends this process; should it throw, the process ends with Exit::NotWritten.
  OwnRunContext(const Backends& backends, Observer& observer, double turn_timeout_seconds,
                Watchdog::OnHung on_hung);
  OwnRunContext(const OwnRunContext&) = delete;
  OwnRunContext& operator=(const OwnRunContext&) = delete;

  SystemClock clock;
  Recorder recorder;
  Watchdog watchdog;
  RunContext context;
};

}  // namespace normbench
