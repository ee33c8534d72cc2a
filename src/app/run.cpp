#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "app/begin.h"
#include "app/calibration.h"
#include "app/commands.h"
#include "app/device_times.h"
#include "app/finish.h"
#include "app/interrupt.h"
#include "app/part.h"
#include "app/progress.h"
#include "app/restart.h"
#include "app/run_options.h"
#include "app/run_trace.h"
#include "app/say.h"
#include "app/tool_attached.h"
#include "machine/disturbance.h"
#include "machine/environment.h"
#include "machine/topology.h"
#include "measure/runner.h"

namespace normbench {
namespace {

/// What a profiling tool means for the run, before it runs.
void tell_modes(const RunOptions& options, const std::optional<AttachedTool>& tool,
                const Json& environment) {
  if (tool && !options.measure)
    tell("normbench: measuring nothing: {} is attached (--measure measures all the same)\n",
         tool->name);
  if (options.capture == "cuda-profiler" && !environment.at("gpu").is_object())
    tell("normbench: --capture cuda-profiler starts no profiler: {}\n",
         environment.at("places").value("cuda", "no CUDA device"));
}

/// How to allow the peers that the plan asks for and that are skipped without that.
void tell_peers(const Plan& plan, const RunOptions& options) {
  if (options.config.allow_peers) return;
  std::string commands;
  for (const auto& [name, command] : plan.peers) {
    const auto runs = [&name = name](const Group& group) {
      return std::ranges::any_of(group.cases, [&](const Case& one) { return one.peer == name; });
    };
    if (std::ranges::any_of(plan.groups, runs))
      commands +=
          fmt::format("{}{}: {}", commands.empty() ? "" : "; ", name, fmt::join(command.argv, " "));
  }
  if (!commands.empty())
    tell("normbench: what peers run is skipped; --allow-peers runs their commands ({})\n",
         commands);
}

/// What did not go as a profiler's user would expect, after it.
void tell_losses(const RunContext& context, const std::string& no_cupti) {
  if (!context.uncaptured.empty())
    tell("normbench: no profiler was told what to record: {}\n", context.uncaptured);
  if (!no_cupti.empty()) tell("normbench: {}\n", no_cupti);
}

/// Runs it to its end; `then` are the configs that come after it.
Exit run_job(Begun begun, const RunOptions& options, std::span<const std::string> then) {
  const auto& [job, backends, environment, plan, journal] = begun;
  const std::optional<AttachedTool> tool_there = attached_tool();
  tell_modes(options, tool_there, environment);
  tell_peers(plan, options);
  SystemClock clock;
  Recorder recorder(clock);
  RunTrace trace(plan, environment, clock);
  const std::unique_ptr<DeviceTracer> tracer = make_device_tracer(environment, tool_there);
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
                     .on_profile = [&](const ProfileTrace& profile,
                                       CaseProfile& result) { trace.add(profile, result); },
                     .tracer = tracer.get(),
                     .rounds = !tool_there || options.measure,
                     .start_profiler = options.capture == "cuda-profiler",
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
  results.traced = tool_there.has_value();
  const std::string no_cupti = why_not_cupti(results, tool_there, context.untraced);
  tell_losses(context, no_cupti);
  return finish_run(job, options, results, trace.finish(no_cupti), journal, context.unkept);
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
