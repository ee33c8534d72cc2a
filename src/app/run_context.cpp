#include "app/run_context.h"

#include <unistd.h>

#include <exception>

#include "app/process.h"
#include "machine/disturbance.h"
#include "machine/topology.h"

namespace normbench {
namespace {

/// Returns a callback for the watchdog. The callback calls `on_hung`, and ends the process if
/// `on_hung` returns or throws.
Watchdog::OnHung ending(Watchdog::OnHung on_hung) {
  return [on_hung = std::move(on_hung)](std::size_t group, const std::string& contender) {
    try {
      try {
        on_hung(group, contender);
      } catch (const std::exception& error) {
        tell("\nnormbench: {} hangs: {}\n", contender, error.what());
      }
    } catch (...) {  // tell() may throw, too
    }
    _exit(static_cast<int>(Exit::NotWritten));
  };
}

}  // namespace

OwnRunContext::OwnRunContext(const Backends& backends, Observer& observer, const Plan& plan,
                             Watchdog::OnHung on_hung)
    : recorder(clock),
      watchdog(plan.measure.turn_timeout_seconds, ending(std::move(on_hung))),
      range(&recorder, RangeKind::Run, recorder.intern(plan.name)),
      context{.backends = backends,
              .clock = clock,
              .recorder = recorder,
              .watchdog = watchdog,
              .observer = observer,
              .interrupted = watch_for_interrupts(),
              .cache_bytes = last_level_cache_bytes(),
              .disturbance = disturbance_reader("/"),
              .on_profile = {}} {}

}  // namespace normbench
