#include "app/run_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/issue.h"
#include "report/table_formats.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

/// The config's file, or what the journal has of it when it is gone.
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

ConfigOptions with(ConfigOptions options, const ConfigOptions& said) {
  if (!said.images.empty()) options.images = fs::absolute(said.images).string();
  if (!said.set.empty()) options.set = said.set;
  if (!said.only.empty()) options.only = said.only;
  options.quick = said.quick || options.quick;
  options.no_profile = said.no_profile || options.no_profile;
  options.allow_peers = said.allow_peers;  // each time anew: they are commands to be run
  return options;
}

/// What the profile pass leaves behind, and how it gets on with other tools.
void add_profiler_options(CLI::App& app, RunOptions& options) {
  app.add_option("--table", options.table,
                 "The profiler table: torch (torch.profiler's), stats (percentiles, GB/s, limits)")
      ->type_name("KIND");
  app.add_option("--trace-max-events", options.trace_max_events,
                 "At most so many events in the trace, which says what is cut off (default: all)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--gzip-trace", options.gzip_trace, "Write trace.json.gz instead of trace.json");
  app.add_flag("--measure", options.measure,
               "Under a profiling tool: measure too, not only profile; nothing is ranked");
  app.add_option("--capture", options.capture,
                 "What Nsight Systems starts and stops at: nvtx (the range capture@normbench), or "
                 "cuda-profiler")
      ->type_name("HOW");
}

void check_profiler_options(const RunOptions& options) {
  if (!parse_word<TableKind>(options.table))
    throw Invalid(
        fmt::format("unknown table \"{}\" (known: {})", options.table, known_words<TableKind>()));
  if (options.capture != "nvtx" && options.capture != "cuda-profiler")
    throw Invalid(
        fmt::format("unknown capture \"{}\" (known: nvtx, cuda-profiler)", options.capture));
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option("--config", options.configs, "Config files; each is a run of its own")
      ->type_name("FILE");
  app.add_option("--out", options.out, "Folder to write to (default: results/NAME-TIME)")
      ->type_name("DIR");
  app.add_option("--resume", options.resume, "Go on with the interrupted run in this folder")
      ->type_name("DIR");
  app.add_flag("--force", options.force,
               "Resume although config, binary or machine differ; the document says so");
  add_config_options(app, options.config);
  app.add_flag("--allow-peers", options.config.allow_peers,
               "Run the commands in the config's `peers` (normbench check FILE shows them)");
  add_device_option(app, options.backend);
  add_simd_option(app, options.backend);
  app.add_option("--machine", options.machine, "A name for documents instead of the host's")
      ->type_name("NAME");
  app.add_option("--format", options.format, "text, or json: stdout is the document");
  add_profiler_options(app, options);
  app.add_option("--then", options.then)->group("");
}

void check_run_options(const RunOptions& options) {
  if (options.format != "text" && options.format != "json")
    throw Invalid(fmt::format("unknown format \"{}\" (known: text, json)", options.format));
  check_profiler_options(options);
  if (options.configs.empty() && options.resume.empty())
    throw Invalid("give --config FILE, or --resume DIR to go on with an interrupted run");
  if (options.resume.empty()) {
    if (options.force) throw Invalid("--force goes with --resume DIR");
    if (!options.then.empty()) throw Invalid("--then goes with --resume DIR");
    return;
  }
  if (options.configs.size() > 1)
    throw Invalid("--resume DIR goes on with one run: its config is in DIR (leave --config out)");
  if (!options.out.empty() && options.then.empty())
    throw Invalid("--resume DIR writes to DIR (leave --out out)");
}

std::vector<std::string> to_go_on(const RunOptions& options, const std::string& dir,
                                  const std::vector<std::string>& configs) {
  std::vector<std::string> words{"run", "--resume", dir, "--format", options.format};
  const auto add = [&words](const std::string& name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  if (options.force) words.emplace_back("--force");
  if (options.config.quick) words.emplace_back("--quick");
  if (options.config.no_profile) words.emplace_back("--no-profile");
  if (options.config.allow_peers) words.emplace_back("--allow-peers");
  add("--images", options.config.images);
  for (const std::string& set : options.config.set) add("--set", set);
  for (const std::string& only : options.config.only) add("--only", only);
  if (options.device_given) add("--device", std::to_string(options.backend.device));
  add("--simd", options.backend.simd);
  add("--machine", options.machine);
  add("--table", options.table);
  if (options.trace_max_events >= 0)
    add("--trace-max-events", std::to_string(options.trace_max_events));
  if (options.gzip_trace) words.emplace_back("--gzip-trace");
  if (options.measure) words.emplace_back("--measure");
  add("--capture", options.capture);
  for (const std::string& config : configs) add("--then", config);
  if (!configs.empty()) add("--out", options.out);
  return words;
}

Job begun_now(const RunOptions& options, const Job& job) {
  Job now = job;
  if (!options.configs.empty())
    now = read_new_job(options.configs.front(), options.config, options.backend, options.machine);
  else
    now.text = text_now(job);
  now.options = with(job.options, options.config);
  now.backend = job.backend;
  if (options.device_given) now.backend.device = options.backend.device;
  if (!options.backend.simd.empty()) now.backend.simd = options.backend.simd;
  now.machine = options.machine.empty() ? job.machine : options.machine;
  return now;
}

}  // namespace normbench
