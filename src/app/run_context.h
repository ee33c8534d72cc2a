/// The objects that this process needs to measure cases itself.
#pragma once

#include "backend/backend.h"
#include "measure/run_context.h"
#include "measure/watchdog.h"
#include "record/clock.h"
#include "record/recorder.h"

namespace normbench {

/// A RunContext of this process and machine, with the clock, recorder and watchdog that it uses.
/// `range` is the range of the whole run in the recorder. It begins and ends with this object.
struct OwnRunContext {
  /// `on_hung` is called if a case hangs, and must end this process. If it throws or returns, the
  /// process ends with Exit::NotWritten.
  OwnRunContext(const Backends& backends, Observer& observer, const Plan& plan,
                Watchdog::OnHung on_hung);
  OwnRunContext(const OwnRunContext&) = delete;
  OwnRunContext& operator=(const OwnRunContext&) = delete;

  SystemClock clock;
  Recorder recorder;
  Watchdog watchdog;
  Range range;
  RunContext context;
};

}  // namespace normbench
