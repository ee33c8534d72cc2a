#include "app/begin.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/machine.h"
#include "app/output.h"
#include "app/resume.h"
#include "app/say.h"
#include "app/tool_attached.h"
#include "core/issue.h"
#include "measure/runner.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

std::string journal_path(const std::string& dir) {
  return (fs::path(dir) / "journal.jsonl").string();
}

/// Numbers with a tool at work are no numbers without one.
Json environment_of(const RunOptions& options, const Job& job, const Backends& backends) {
  Json environment = described_machine(backends, job.machine);
  if (const auto tool = attached_tool())
    environment["attached_tool"] = attached_text(*tool, options.measure);
  return environment;
}

[[noreturn]] void refuse(const std::string& dir, const std::vector<std::string>& differing) {
  std::string text = fmt::format("the run in {} was begun differently:\n", dir);
  for (const std::string& difference : differing) text += fmt::format("  {}\n", difference);
  throw Differs(text + "Begin anew with another --out, or add --force to go on all the same.");
}

}  // namespace

Begun begin(const RunOptions& options, const std::string& file) {
  Job job = read_new_job(file, options.config, options.backend, options.machine);
  Backends backends = make_backends(job.backend);
  Plan plan = make_plan(job, backends);
  job.free_bytes = plan.free_bytes;
  const bool several = options.configs.size() > 1 || !options.then.empty();
  job.dir =
      several && !options.out.empty() ? (fs::path(options.out) / plan.name).string() : options.out;
  job.dir = make_output_dir(job.dir, plan.name);
  Json environment = environment_of(options, job, backends);
  Journal journal = Journal::create(journal_path(job.dir), journal_header(job, environment));
  return {.job = std::move(job),
          .backends = std::move(backends),
          .environment = std::move(environment),
          .plan = std::move(plan),
          .journal = std::move(journal)};
}

Begun go_on(const RunOptions& options) {
  const std::string path = journal_path(options.resume);
  Journal journal = Journal::resume(path);
  Job job = read_job(journal.content().header, options.resume);
  Backends backends = make_backends(job.backend);
  Json environment = environment_of(options, job, backends);
  const Json now = journal_header(begun_now(options, job), environment);
  const auto differing = differences(journal.content().header, now);
  if (!differing.empty() && !options.force) refuse(options.resume, differing);
  job.options.allow_peers = options.config.allow_peers;  // not because the journal says so
  Plan plan = make_plan(job, backends);
  try {
    require_fit(journal.content(), plan);
  } catch (const Invalid& error) {
    throw Invalid(fmt::format("{}: {}", path, error.what()));
  }
  for (const std::string& difference : differing)
    tell("normbench: going on although it differs: {}\n", difference);
  journal.add_despite(differing);
  if (!journal.content().despite.empty())
    environment["resumed_despite"] = journal.content().despite;
  return {.job = std::move(job),
          .backends = std::move(backends),
          .environment = std::move(environment),
          .plan = std::move(plan),
          .journal = std::move(journal)};
}

}  // namespace normbench
