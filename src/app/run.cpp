#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/machine.h"
#include "app/output.h"
#include "app/part.h"
#include "app/progress.h"
#include "app/say.h"
#include "core/file.h"
#include "measure/runner.h"
#include "report/report.h"
#include "trace/profile_table.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

struct Said {
  std::vector<std::string> configs;
  ConfigOptions config;
  BackendOptions backend;
  std::string out, resume, machine, format = "text";
};

Json header(const Job& job, const Json& described) {
  Json json = to_json(job);
  json["tool"] = tool();
  json["environment"] = described;
  return json;
}

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

bool tool_attached() {
  return std::getenv("NVTX_INJECTION64_PATH") || std::getenv("NSYS_PROFILING_SESSION_ID") ||
         std::getenv("CUDA_INJECTION64_PATH");
}

/// A kernel that hangs cannot be stopped inside its process: note it and start anew from the
/// journal, where the case now counts as failed.
void restart_without(Journal& journal, const std::string& dir, double limit_seconds,
                     std::size_t group, const std::string& contender) {
  const std::string why = fmt::format("a turn took more than {:.0f} s", limit_seconds);
  journal.add_hung(group, contender, why);
  tell("\n{}: {}; going on without it\n", contender, why);
  execl("/proc/self/exe", "normbench", "run", "--resume", dir.c_str(), nullptr);
  _exit(static_cast<int>(Exit::Failed));
}

Exit exit_code(const Results& results) {
  if (results.interrupted) return Exit::Interrupted;
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases)
      if (result.status == Status::Failed) return Exit::Failed;
  return Exit::Fine;
}

void print_result(const Results& results, const Job& job, const std::vector<std::string>& written,
                  const std::string& format) {
  if (format == "json") {
    say("{}", report_named("json").render(results));
    return;
  }
  std::string files;
  for (const std::string& name : written) files += (files.empty() ? "" : ", ") + name;
  const bool traced = std::find(written.begin(), written.end(), "trace.json") != written.end();
  say("{}Wrote {}: {}{}\n", terminal(results), job.dir, files,
      traced ? " (open in ui.perfetto.dev)" : "");
  if (results.interrupted) say("Interrupted; go on with: normbench run --resume {}\n", job.dir);
}

Exit run_job(const Job& job, const std::string& format, bool resumed) {
  const Backends backends = make_backends(job.backend);
  const Plan plan = make_plan(job, backends);
  const Json described = described_machine(backends, job.machine);
  const std::string journal_path = (fs::path(job.dir) / "journal.jsonl").string();
  Journal journal = resumed ? Journal::resume(journal_path)
                            : Journal::create(journal_path, header(job, described));

  SystemClock clock;
  Recorder recorder(clock);
  Trace trace{.metadata = {{"config", plan.name}, {"tool", tool()}, {"environment", described}},
              .base_ns = clock.now_ns(),
              .base_wall_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count(),
              .process_name = "normbench " + plan.name};
  const double limit_seconds = plan.measure.turn_timeout_seconds;
  Watchdog watchdog(limit_seconds, [&](std::size_t group, const std::string& contender) {
    restart_without(journal, job.dir, limit_seconds, group, contender);
  });
  Progress progress(plan.groups.size(), plan.measure.max_seconds_per_group, isatty(STDERR_FILENO));
  RunContext context{.backends = backends,
                     .clock = clock,
                     .recorder = recorder,
                     .watchdog = watchdog,
                     .journal = &journal,
                     .observer = progress,
                     .interrupted = watch_for_interrupts(),
                     .cache_bytes = last_level_cache_bytes(),
                     .on_profile =
                         [&](const ProfileTrace& profile) {
                           add_to_trace(trace, profile);
                           return profile_rows(profile.threads);
                         },
                     .fresh_process =
                         [&](std::size_t group, const Part& part) {
                           return measure_part(job, group, part, [&](const std::string& contender) {
                             restart_without(journal, job.dir, limit_seconds, group, contender);
                           });
                         }};
  Results results = run(plan, context);
  results.tool = tool();
  results.environment = described;
  results.traced = tool_attached();
  print_result(results, job, write_outputs(job.dir, results, trace), format);
  return exit_code(results);
}

Job new_job(const Said& said, const std::string& file) {
  Job job{.file = file,
          .text = "",
          .options = said.config,
          .backend = said.backend,
          .machine = said.machine,
          .dir = said.out};
  try {
    job.text = read_text(file);
  } catch (const Invalid& invalid) {
    throw BadInput(file, {{"", invalid.what()}});
  }
  const Plan plan = make_plan(job, make_backends(job.backend));
  if (said.configs.size() > 1 && !said.out.empty())
    job.dir = (fs::path(said.out) / plan.name).string();
  job.dir = make_output_dir(job.dir, plan.name);
  return job;
}

Exit run_said(const Said& said) {
  if (said.format != "text" && said.format != "json")
    throw Invalid(fmt::format("unknown format \"{}\" (known: text, json)", said.format));
  if (said.configs.empty() == said.resume.empty())
    throw Invalid("give --config FILE, or --resume DIR to go on with an interrupted run");
  if (!said.resume.empty()) {
    const Journal journal = Journal::resume((fs::path(said.resume) / "journal.jsonl").string());
    return run_job(read_job(journal.content().header, said.resume), said.format, true);
  }
  Exit worst = Exit::Fine;
  for (const std::string& file : said.configs)
    worst = std::max(worst, run_job(new_job(said, file), said.format, false));
  return worst;
}

}  // namespace

std::function<Exit()> declare_run(CLI::App& app) {
  const auto said = std::make_shared<Said>();
  app.add_option("--config", said->configs, "Config files; each is a run of its own")
      ->type_name("FILE");
  app.add_option("--out", said->out, "Folder to write to (default: results/NAME-TIME)")
      ->type_name("DIR");
  app.add_option("--resume", said->resume, "Go on with the interrupted run in this folder")
      ->type_name("DIR");
  add_config_options(app, said->config);
  add_device_option(app, said->backend);
  app.add_option("--machine", said->machine, "A name for documents instead of the host's")
      ->type_name("NAME");
  app.add_option("--format", said->format, "text, or json: stdout is the document");
  return [said] { return run_said(*said); };
}

}  // namespace normbench
