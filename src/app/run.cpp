#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <span>

#include "app/begin.h"
#include "app/calibration.h"
#include "app/commands.h"
#include "app/finish.h"
#include "app/interrupt.h"
#include "app/part.h"
#include "app/progress.h"
#include "app/restart.h"
#include "app/run_options.h"
#include "measure/disturbance_reader.h"
#include "measure/environment.h"
#include "measure/runner.h"
#include "trace/profile_table.h"

namespace normbench {
namespace {

/// Adds one profiled case's ranges to the trace, one lane per thread.
void add_to_trace(Trace& trace, const ProfileTrace& profile) {
  for (const ThreadLog& log : profile.threads) {
    const auto lane = std::find_if(trace.lanes.begin(), trace.lanes.end(),
                                   [&](const TraceLane& l) { return l.tid == log.tid; });
    TraceLane& target = lane != trace.lanes.end()
                            ? *lane
                            : trace.lanes.emplace_back(
                                  TraceLane{.pid = getpid(), .tid = log.tid, .name = log.name});
    target.slices.insert(target.slices.end(), log.slices.begin(), log.slices.end());
  }
}

Trace empty_trace(const Plan& plan, const Json& environment, Clock& clock) {
  return {.metadata = {{"config", plan.name}, {"tool", tool()}, {"environment", environment}},
          .base_ns = clock.now_ns(),
          .base_wall_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count(),
          .process_name = "normbench " + plan.name};
}

bool tool_attached() {
  return std::getenv("NVTX_INJECTION64_PATH") || std::getenv("NSYS_PROFILING_SESSION_ID") ||
         std::getenv("CUDA_INJECTION64_PATH");
}

/// Runs it to its end; `then` are the configs that come after it.
Exit run_job(Begun begun, const RunOptions& options, std::span<const std::string> then) {
  const auto& [job, backends, environment, plan, journal] = begun;
  SystemClock clock;
  Recorder recorder(clock);
  Trace trace = empty_trace(plan, environment, clock);
  Restart restart(begun.journal, plan.measure.turn_timeout_seconds,
                  to_go_on(options, job.dir, {then.begin(), then.end()}));
  Watchdog watchdog(
      plan.measure.turn_timeout_seconds,
      [&](std::size_t group, const std::string& contender) { restart.without(group, contender); });
  Progress progress(plan.groups.size(), plan.measure.max_seconds_per_group, isatty(STDERR_FILENO));
  KernelPerfEvents perf_events;
  const Rapl rapl("/");
  RunContext context{.backends = backends,
                     .clock = clock,
                     .recorder = recorder,
                     .watchdog = watchdog,
                     .journal = &begun.journal,
                     .observer = progress,
                     .interrupted = watch_for_interrupts(),
                     .cache_bytes = last_level_cache_bytes(),
                     .disturbance = disturbance_reader("/"),
                     .perf_events = &perf_events,
                     .rapl = &rapl,
                     .on_profile =
                         [&](const ProfileTrace& profile) {
                           add_to_trace(trace, profile);
                           return profile_rows(profile.threads);
                         },
                     .fresh_process =
                         [&](std::size_t group, const Part& part) {
                           return measure_part(begun.job, group, part,
                                               [&](const std::string& contender) {
                                                 restart.without(group, contender);
                                               });
                         }};
  Results results = run(plan, context);
  results.tool = tool();
  results.environment = environment;
  results.calibration = load_calibration(environment);
  results.traced = tool_attached();
  return finish_run(job, options.format, results, trace, journal, context.unkept);
}

Exit run_all(const RunOptions& options) {
  check_run_options(options);
  Exit worst = Exit::Fine;
  if (!options.resume.empty()) worst = run_job(go_on(options), options, options.then);
  std::span<const std::string> files = options.resume.empty() ? options.configs : options.then;
  for (; !files.empty() && worst != Exit::Interrupted; files = files.subspan(1))
    worst = std::max(worst, run_job(begin(options, files.front()), options, files.subspan(1)));
  return worst;
}

}  // namespace

std::function<Exit()> declare_run(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  add_run_options(app, *options);
  return [options, &app] {
    options->device_given = app.count("--device") > 0;
    return run_all(*options);
  };
}

}  // namespace normbench
