#include "app/begin.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/machine.h"
#include "app/output.h"
#include "app/process.h"
#include "app/profiling.h"
#include "core/file.h"
#include "core/issue.h"
#include "core/units.h"
#include "machine/environment.h"
#include "measure/runner.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

std::string journal_path(const std::string& dir) {
  return (fs::path(dir) / "journal.jsonl").string();
}

/// Returns a description of the machine. It names an attached profiling tool, because numbers
/// measured under a tool cannot be compared with others.
Json environment_of(const RunOptions& options, const Job& job, const Backends& backends) {
  Json environment = described_machine(backends, job.options.machine);
  if (const auto tool = attached_tool())
    environment["attached_tool"] = tool->name + (options.measure ? ", measured all the same" : "");
  return environment;
}

struct Fact {
  std::string_view pointer, name;
};

// Facts that must be the same when a run is continued, in addition to the options of its job.
constexpr auto kFacts = std::to_array<Fact>({
    {"/tool/version", "the version of normbench"},
    {"/tool/revision", "the binary's revision"},
    {"/tool/build", "the binary's build type"},
    {"/tool/compiler", "the binary's compiler"},
    {"/tool/flags", "the binary's flags"},
    {"/tool/sanitizers", "the binary's sanitizers"},
    {"/environment/cpu/model", "the CPU"},
    {"/environment/cpu/packages", "CPU packages"},
    {"/environment/cpu/cores", "CPU cores"},
    {"/environment/cpu/hardware_threads", "hardware threads"},
    {"/environment/cpu/caches", "the caches"},
    {"/environment/simd", "the instruction set of CPU kernels"},
    {"/environment/affinity_cpus", "CPUs that normbench may use"},
    {"/environment/available_threads", "threads that normbench may use"},
    {"/environment/threads_bound", "how threads are bound to CPUs"},
    {"/environment/container/memory_bytes", "the container's memory"},
    {"/environment/memory/total_bytes", "the memory"},
    {"/environment/kernel", "the kernel"},
    {"/environment/gpu/name", "the GPU"},
    {"/environment/gpu/uuid", "the GPU's UUID"},
    {"/environment/gpu/driver", "the GPU's driver"},
    {"/environment/attached_tool", "the profiling tool attached"},
});

/// Returns the value at `pointer` as text; "none" if it is missing or empty. Bytes are rounded,
/// because the memory size may change by a few pages at each boot.
std::string shown(const Json& header, std::string_view pointer) {
  const Json& value = value_at(header, pointer);
  if (value.is_null() || value.empty() || value == "") return "none";
  if (value.is_boolean()) return value.get<bool>() ? "given" : "not given";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() && pointer.ends_with("_bytes")) return format_bytes(value.get<double>());
  return value.dump();
}

std::string was_is(std::string_view name, std::string_view was, std::string_view is) {
  return fmt::format("{}: was {}, is {}", name, was, is);
}

/// Returns the part of `line` near its byte `at`, short enough for a message.
std::string excerpt(const std::string& line, std::size_t at) {
  constexpr std::size_t before = 20, most = 50;
  const std::size_t begin = next_character(line, at < before ? 0 : at - before);
  const std::size_t end = next_character(line, begin + most);
  return fmt::format("\"{}{}{}\"", begin > 0 ? "…" : "", line.substr(begin, end - begin),
                     end < line.size() ? "…" : "");
}

/// Returns a message about the first line in which two texts differ, or nothing for equal texts.
std::optional<std::string> changed_line(const std::string& file, const std::string& was,
                                        const std::string& is) {
  std::istringstream before(was), after(is);
  std::string old_line, new_line;
  for (int number = 1;; ++number) {
    const bool old_there = !std::getline(before, old_line).fail();
    const bool new_there = !std::getline(after, new_line).fail();
    if (!old_there && !new_there) return std::nullopt;
    if (old_there == new_there && old_line == new_line) continue;
    const auto at =
        static_cast<std::size_t>(std::ranges::mismatch(old_line, new_line).in1 - old_line.begin());
    return was_is(fmt::format("the config {}, line {}", file, number),
                  old_there ? excerpt(old_line, at) : "not there",
                  new_there ? excerpt(new_line, at) : "not there");
  }
}

/// Returns the FNV-1a hash (64 bits) of this program's file. Two builds of the same revision have
/// different hashes.
std::string binary_digest() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325;
  std::array<char, 1 << 16> buffer;
  while (in.read(buffer.data(), buffer.size()), in.gcount() > 0)
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(in.gcount())))
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

/// Returns the first line of a run's journal: the job, the tool, the hash of its program file, and
/// the environment.
Json journal_header(const Job& job, const Json& environment) {
  Json header = to_json(job);
  header["tool"] = tool();
  header["binary"] = binary_digest();
  header["environment"] = environment;
  return header;
}

/// Returns the differences between two journal headers, each like "the CPU: was AMD EPYC, is Intel
/// Xeon". A run with differences is continued only with --force, because its document then mixes
/// incomparable parts.
std::vector<std::string> differences(const Json& then, const Json& now) {
  std::vector<std::string> found;
  if (auto changed =
          changed_line(now.value("file", ""), then.value("text", ""), now.value("text", "")))
    found.push_back(std::move(*changed));
  const auto compare = [&](std::string_view pointer, std::string_view name) {
    const std::string was = shown(then, pointer), is = shown(now, pointer);
    if (was != is) found.push_back(was_is(name, was, is));
    return was == is;
  };
  JobOptions any;
  for (const Option& row : job_options(any)) compare(row.journal, row.name);
  bool same_tool = true;
  for (const Fact& fact : kFacts)
    if (!compare(fact.pointer, fact.name) && fact.pointer.starts_with("/tool/")) same_tool = false;
  if (same_tool) compare("/binary", "the binary's digest (it was built anew)");
  return found;
}

/// Returns the text of the config's file, or the journal's copy of it if the file is gone. Returns
/// "" if the file cannot be read.
std::string text_now(const Job& job) {
  const fs::path file =
      job.folder.empty() ? fs::path(job.file) : job.folder / fs::path(job.file).filename();
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return job.text;
  try {
    return read_text(file.string());
  } catch (const Invalid&) {
    return "";
  }
}

/// Returns the resumed job as this command line would begin it: with the current text of the
/// config, and with the options of `job`, except those that this command line gives again.
Job begun_now(const RunOptions& options, const Job& job) {
  Job now = job;
  if (!options.configs.empty())
    now = read_new_job(options.configs.front(), {});
  else
    now.text = text_now(job);
  JobOptions given = options.job;
  if (!given.config.images.empty())
    given.config.images = fs::absolute(given.config.images).string();
  now.options = job.options;
  const auto kept = job_options(now.options), again = job_options(given);
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (options.given.contains(kept[i].name)) set_value(kept[i], value_of(again[i]));
  // The permission to run peers is not kept: each command line must give it again.
  now.options.config.allow_peers = given.config.allow_peers;
  return now;
}

/// Returns the folder for the run of the config called `name`. Returns "" for the default folder.
std::string folder_of(const RunOptions& options, const std::string& name) {
  const bool several = options.configs.size() > 1 || !options.then.empty();
  return several && !options.out.empty() ? (fs::path(options.out) / name).string() : options.out;
}

/// Throws BadInput if the folder for the run of `file` already holds a run, or is also the folder
/// of another config. `taken` maps folders to their configs.
void check_folder(const std::string& file, const std::string& name, const RunOptions& options,
                  std::map<std::string, std::string>& taken) {
  const std::string folder = folder_of(options, name);
  if (folder.empty()) return;
  const auto [at, is_first] = taken.emplace(folder, file);
  if (!is_first)
    throw BadInput(file, {{"/name", fmt::format("\"{}\" is the name of {} too, which writes to {} "
                                                "(rename one, or run without --out)",
                                                name, at->second, folder)}});
  try {
    check_new_folder(folder);
  } catch (const Invalid& mistake) {
    throw BadInput(file, {{"", mistake.what()}});
  }
}

/// Creates the folder of a new run and returns its path. If `folder` is "", creates a default
/// folder.
std::string begin_folder(const std::string& folder, const std::string& name) {
  if (folder.empty()) return make_default_folder(name);
  check_new_folder(folder);
  create_folder(folder);
  return folder;
}

[[noreturn]] void refuse(const std::string& dir, const std::vector<std::string>& differing) {
  std::string text = message("the run in {} started under other conditions:\n", dir);
  for (const std::string& difference : differing) text += message("  {}\n", difference);
  throw Differs(text + "Start a new run with another --out, or continue anyway with --force.");
}

}  // namespace

std::vector<Job> read_jobs(const RunOptions& options, std::span<const std::string> files) {
  std::optional<Backends> backends;
  if (files.size() > 1) backends = make_backends(options.job.backend);
  std::vector<Job> jobs;
  std::map<std::string, std::string> taken;
  each_file(files, [&](const std::string& file) {
    jobs.push_back(read_new_job(file, options.job));
    if (backends) check_folder(file, make_plan(jobs.back(), *backends).name, options, taken);
  });
  return jobs;
}

std::unique_ptr<ScratchFolder> make_scratch(const Plan& plan, const std::string& parent,
                                            const Backends& backends) {
  const auto saves = [](const Stage& stage) { return roles_of(stage.op).files == FileUse::Writes; };
  const bool is_needed = std::ranges::any_of(plan.groups, [&](const Group& group) {
    return std::ranges::any_of(group.cases, [&](const Case& planned) {
      return std::ranges::any_of(planned.stages, saves);
    });
  });
  if (!is_needed) return nullptr;
  watch_for_interrupts();  // an interrupted run must still remove the folder
  auto folder = std::make_unique<ScratchFolder>(parent);
  backends.at(Place::Cpu)->scratch = folder->path();
  return folder;
}

Begun begin(const RunOptions& options, Job job) {
  Backends backends = make_backends(job.options.backend);
  Plan plan = make_plan(job, backends);
  auto scratch = make_scratch(plan, options.scratch, backends);
  job.free_bytes = plan.free_bytes;
  job.dir = begin_folder(folder_of(options, plan.name), plan.name);
  Json environment = environment_of(options, job, backends);
  Journal journal = Journal::create(journal_path(job.dir), journal_header(job, environment));
  return {.job = std::move(job),
          .backends = std::move(backends),
          .environment = std::move(environment),
          .plan = std::move(plan),
          .journal = std::move(journal),
          .scratch = std::move(scratch)};
}

Begun go_on(const RunOptions& options) {
  const std::string path = journal_path(options.resume);
  Journal journal = Journal::resume(path);
  Job job = read_job(journal.content().header, options.resume);
  Backends backends = make_backends(job.options.backend);
  const Json now = journal_header(begun_now(options, job), environment_of(options, job, backends));
  const auto differing = differences(journal.content().header, now);
  if (!differing.empty() && !options.force) refuse(options.resume, differing);
  // Peers run only if this command line allows them, even if the journal's command line did.
  job.options.config.allow_peers = options.job.config.allow_peers;
  Plan plan = make_plan(job, backends);
  // make_plan() has initialised the GPU since the first call of environment_of(), so the
  // environment is computed again.
  Json environment = environment_of(options, job, backends);
  try {
    require_fit(journal.content(), plan);
  } catch (const Invalid& error) {
    throw Invalid(fmt::format("{}: {}", path, error.what()));
  }
  check_own_folder(options.resume);
  for (const std::string& difference : differing)
    tell("normbench: continuing although it differs: {}\n", difference);
  auto scratch = make_scratch(plan, options.scratch, backends);
  journal.add_despite(differing);
  if (!journal.content().despite.empty())
    environment["resumed_despite"] = journal.content().despite;
  return {.job = std::move(job),
          .backends = std::move(backends),
          .environment = std::move(environment),
          .plan = std::move(plan),
          .journal = std::move(journal),
          .scratch = std::move(scratch)};
}

}  // namespace normbench
