#include "app/machine_limits.h"

#include <unistd.h>

#include "analysis/machine_limits.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/limits_config.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/say.h"
#include "machine/environment.h"
#include "machine/topology.h"
#include "measure/runner.h"

namespace normbench {
namespace {

/// A plan without the limits that the planner adds: here they are the cases.
Plan plan_of(std::string_view config, const Backends& backends) {
  ConfigOptions options;
  options.no_profile = true;
  Plan plan = make_plan("limits", config, backends, plan_options(options, "limits", backends));
  for (Group& group : plan.groups) group.limits.clear();
  return plan;
}

/// A kernel that hangs cannot be stopped inside its process.
void give_up(std::size_t, const std::string& contender) {
  tell("\nnormbench: {} hangs; run `normbench info --no-limits`\n", contender);
  _exit(static_cast<int>(Exit::Failed));
}

Results measured(const Plan& plan, const Backends& backends) {
  SystemClock clock;
  Recorder recorder(clock);
  Watchdog watchdog(plan.measure.turn_timeout_seconds, &give_up);
  Progress progress(plan.groups.size(), plan.measure.max_seconds_per_group, isatty(STDERR_FILENO));
  RunContext context{.backends = backends,
                     .clock = clock,
                     .recorder = recorder,
                     .watchdog = watchdog,
                     .observer = progress,
                     .interrupted = watch_for_interrupts(),
                     .cache_bytes = last_level_cache_bytes(),
                     .on_profile = {}};
  return run(plan, context);
}

}  // namespace

Json measure_machine_limits(const Backends& backends) {
  if (!isatty(STDERR_FILENO))
    tell("measuring limits, about 10 s (--no-limits shows the rest at once)\n");
  Json limits = Json::array();
  for (const std::string_view config : {kMemoryLimits, kOtherLimits}) {
    const Results results = measured(plan_of(config, backends), backends);
    for (const MachineLimit& limit : machine_limits(results)) limits.push_back(to_json(limit));
    if (results.interrupted) break;
  }
  return limits;
}

}  // namespace normbench
