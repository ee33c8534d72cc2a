#include "app/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "app/begin.h"
#include "app/commands.h"
#include "app/machine.h"
#include "app/output.h"
#include "app/part.h"
#include "app/planned_configs.h"
#include "app/profiling.h"
#include "app/progress.h"
#include "app/run_context.h"
#include "app/run_options.h"
#include "core/child_process.h"
#include "core/file.h"
#include "machine/affinity.h"
#include "machine/environment.h"
#include "measure/profiler_capture.h"
#include "measure/runner.h"

namespace normbench {
namespace {

/// Replaces this process by a new start of this program with `arguments` (execv). Returns only if
/// that fails.
void become(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "normbench");
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const Unpinned everywhere;
  execv("/proc/self/exe", words.data());
}

/// Called if a contender (a case, or a measured limit of the machine) hangs. A call that hangs
/// cannot be stopped inside its process. So this function notes in the journal that the contender
/// failed, and starts the program again with `arguments`. If the journal cannot be written, it ends
/// the process with NotWritten, because a new process would hang in the same contender.
[[noreturn]] void restart_without(std::size_t group, const std::string& contender,
                                  double limit_seconds, Journal& journal,
                                  const std::vector<std::string>& arguments) {
  const std::string why = fmt::format("a turn took more than {:g} s", limit_seconds);
  try {
    journal.add_hung(group, contender, why);
  } catch (const CannotWrite& error) {
    tell("\n{}: {}\nnormbench: {}\n", contender, why, error.what());
    _exit(static_cast<int>(Exit::NotWritten));
  }
  tell("\n{}: {}; continuing without it\n", contender, why);
  end_all_children();
  become(arguments);
  _exit(static_cast<int>(Exit::Failed));
}

/// Prints, before the run, that nothing will be measured because a profiling tool is attached, or
/// that --capture has no effect without a GPU.
void tell_modes(const RunOptions& options, const std::optional<AttachedTool>& tool,
                const Json& environment) {
  if (tool && !options.measure)
    tell("normbench: measuring nothing: {} is attached (--measure measures all the same)\n",
         tool->name);
  if (options.capture == Capture::CudaProfiler && !environment.at("gpu").is_object())
    tell("normbench: --capture cuda-profiler starts no profiler: {}\n",
         environment.at("places").value("cuda", "no CUDA device"));
}

/// A peer is an external program that the config names. If the plan has cases of peers and
/// --allow-peers is not given, prints how to allow them.
void tell_peers(const Plan& plan, const RunOptions& options) {
  if (options.job.config.allow_peers) return;
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

struct RunEnd {
  Exit code = Exit::Failed;
  std::string state;  // "the run is finished", or why it failed
};

/// Ends the process because `tool` did not return from the call that ends its recording. The exit
/// code is the code of the run. `then` are configs that were to run next. If there are any, their
/// names are printed and the exit code is at least Failed.
[[noreturn]] void leave(const std::string& tool, double limit_seconds, const RunEnd& end,
                        std::span<const std::string> then) {
  tell("normbench: {} did not end its recording within {:g} s: ending without it, {}\n", tool,
       limit_seconds, end.state);
  if (then.empty()) _exit(static_cast<int>(end.code));
  tell("normbench: not run: {}\n", fmt::join(then, ", "));
  _exit(static_cast<int>(std::max(end.code, Exit::Failed)));
}

/// Returns the text that is printed if a second Ctrl-C ends the run at once.
std::string if_stopped_at_once(const Begun& begun) {
  const ScratchFolder* const scratch = begun.scratch.get();
  return fmt::format(
      "normbench: stopped at once; continue with: normbench run --resume {}{}{}",
      shell_word(begun.job.dir), peers_option(begun.job),
      scratch ? fmt::format(" (the next run removes {})", shell_word(scratch->path())) : "");
}

/// Runs a job to its end and returns its exit code. `then` are the configs that will run after it.
Exit run_job(Begun begun, const RunOptions& options, std::span<const std::string> then) {
  const auto& [job, backends, environment, plan, journal, scratch] = begun;
  const LastWords last_words(options.is_asked ? "" : if_stopped_at_once(begun));
  const std::optional<AttachedTool> tool_there = attached_tool();
  tell_modes(options, tool_there, environment);
  tell_peers(plan, options);
  tell_crowded(plan);
  tell_dropped(plan);
  tell_unlike(plan);
  tell_memory(plan, job.options.config);
  const std::unique_ptr<DeviceTracer> tracer = make_device_tracer(environment, tool_there);
  const double limit_seconds = plan.measure.turn_timeout_seconds;
  const auto on_hung = [&, arguments = to_go_on(options, job.dir, then)](
                           std::size_t group, const std::string& contender) {
    restart_without(group, contender, limit_seconds, begun.journal, arguments);
  };
  Progress progress(plan, progress_style(options.quiet));
  KernelPerfEvents perf_events;
  const Rapl rapl("/");
  RunEnd end;
  OwnRunContext own(backends, progress, plan, on_hung);
  RunTrace trace(plan, environment, own.clock);
  RunContext& context = own.context;
  context.journal = &begun.journal;
  context.perf_events = &perf_events;
  context.rapl = &rapl;
  bool profiled = false;
  context.on_profile = [&](const ProfileTrace& profile, CaseProfile& result) {
    trace.add(profile, result);
    profiled = true;
  };
  context.tracer = tracer.get();
  context.rounds = !tool_there || options.measure;
  ProfilerCapture capture(backends, options.capture == Capture::CudaProfiler, limit_seconds, [&] {
    leave(tool_there ? tool_there->name : "the profiler", limit_seconds, end, then);
  });
  context.capture = &capture;
  context.fresh_process = [&](std::size_t group, const Part& part) {
    try {
      return measure_part(
          begun.job, group, part, [&](const std::string& contender) { on_hung(group, contender); },
          options.scratch);
      // measure_part() also throws if Ctrl-C killed a child that had no signal handler yet.
    } catch (const std::runtime_error&) {
      if (context.interrupted) return std::optional<GroupResult>();
      throw;
    }
  };
  try {
    auto [results, unkept, untraced] = run(plan, context);
    progress.clear();
    results.tool = tool();
    results.environment = environment;
    results.calibration = load_calibration(environment);
    results.traced = tool_there.has_value();
    const std::string no_cupti = why_not_cupti(results, tool_there, untraced);
    if (!no_cupti.empty()) tell("normbench: {}\n", no_cupti);
    if (!results.interrupted && !progress.started() && !profiled)
      tell("normbench: nothing left to measure: the run in {} is finished\n", job.dir);
    const Analysed analysed(std::move(results));
    end = {finish_run(job, options, analysed, trace.finish(no_cupti), journal, unkept),
           "the run is finished"};
  } catch (const std::exception& error) {
    progress.clear();
    end.state = fmt::format("the run failed: {}", error.what());
    throw;
  }
  if (const std::string missing = capture.end(); !missing.empty())
    tell("normbench: no profiler could be told what to record: {}\n", missing);
  return end.code;
}

/// Returns the exit code for two runs together: the larger code, except that Failed counts as worse
/// than Inconclusive.
Exit worse(Exit a, Exit b) {
  return a == Exit::Inconclusive && b == Exit::Failed   ? b
         : a == Exit::Failed && b == Exit::Inconclusive ? a
                                                        : std::max(a, b);
}

Exit run_all(const RunOptions& options) {
  check_run_options(options);
  Exit worst = Exit::Fine;
  if (!options.resume.empty()) worst = run_job(go_on(options), options, options.then);
  if (worst == Exit::Interrupted) return worst;
  std::span<const std::string> files = options.resume.empty() ? options.configs : options.then;
  for (Job& job : read_jobs(options, files)) {
    if (worst == Exit::Interrupted) break;
    files = files.subspan(1);
    worst = worse(worst, run_job(begin(options, std::move(job)), options, files));
  }
  return worst;
}

}  // namespace

Exit run_new(const RunOptions& options, Job job) {
  return run_job(begin(options, std::move(job)), options, {});
}

Subcommand make_run() {
  const auto options = std::make_shared<RunOptions>();
  return {.options = run_options(*options),
          .run =
              [options] {
                std::ranges::copy(options->files, std::back_inserter(options->configs));
                find_configs(options->configs);
                return run_all(*options);
              },
          .help =
              "A case that cannot run here is skipped, which is no failure. Where every case "
              "is, the run exits 0 and its last line says that nothing was measured.",
          .given = &options->given};
}

}  // namespace normbench
