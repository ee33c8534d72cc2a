#include "app/run_options.h"

#include "app/options.h"
#include "core/issue.h"
#include "core/units.h"

namespace normbench {

std::vector<Option> run_options(RunOptions& options) {
  std::vector<Option> rows{
      {"FILE", "", "Config files; each is a run of its own (- is stdin)", &options.files, "",
       Option::Several | Option::Once},
      {"--config", "FILE", "Config files, too", &options.configs, "",
       Option::Several | Option::Once},
      {"--out", "DIR", "Folder to write to (default: results/NAME-TIME)", &options.out, "",
       Option::Once},
      {"--resume", "DIR", "Continue the unfinished run in this folder", &options.resume, "",
       Option::Once},
      {"--force", "", "Resume even if config, binary or machine differ; the document says so",
       &options.force}};
  const std::vector<Option> job = job_options(options.job);
  rows.insert(rows.end(), job.begin(), job.end());
  rows.insert(
      rows.end(),
      {format_option(options.format, "text, or json: stdout is the document"),
       {"--table", "KIND",
        "The profiler table: torch (torch.profiler's), stats (percentiles, GB/s, limits)",
        word_of<TableKind>(options.table)},
       {"--trace-max-events", "N",
        "Most events in the trace, which says what was cut off (default: all)",
        whole(options.trace_max_events, 0)},
       {"--gzip-trace", "", "Write trace.json.gz instead of trace.json", &options.gzip_trace},
       {"--no-html", "", "Write no report.html", &options.no_html},
       quiet_option(options.quiet),
       {"--strict", "",
        "Exit 1 when a claim is contradicted, 4 when one is inconclusive or none could be decided",
        &options.strict},
       {"--measure", "", "Under a profiling tool: measure too; nothing is ranked",
        &options.measure},
       {"--capture", "HOW",
        "What Nsight Systems starts and stops at: nvtx (the range capture@normbench), or "
        "cuda-profiler",
        word_of<Capture>(options.capture)},
       {"--scratch", "DIR",
        "Where stages save files, in a folder that is removed (default: the system's for "
        "temporary files)",
        &options.scratch},
       {"--then", "FILE", "", &options.then, "", Option::Once},
       asker_option(options.is_asked)});
  return rows;
}

void check_run_options(const RunOptions& options) {
  const std::string& machine = options.job.machine;
  const bool is_blank = machine.find_first_not_of(' ') == std::string::npos;
  if (!machine.empty() && (is_blank || on_one_line(machine) != machine))
    throw Invalid("--machine: expected a name, without control characters");
  if (options.configs.empty() && options.resume.empty())
    throw Invalid("give a config FILE, or --resume DIR to continue an unfinished run");
  if (options.resume.empty()) {
    if (options.force) throw Invalid("--force goes with --resume DIR");
    if (!options.then.empty()) throw Invalid("--then goes with --resume DIR");
    return;
  }
  if (options.configs.size() > 1)
    throw Invalid("--resume DIR continues one run: its config is in DIR (leave --config out)");
  if (!options.out.empty() && options.then.empty())
    throw Invalid("--resume DIR writes to DIR (leave --out out)");
}

std::vector<std::string> to_go_on(const RunOptions& options, const std::string& dir,
                                  std::span<const std::string> configs) {
  std::vector<std::string> words{"run", "--resume", dir};
  RunOptions any;
  for (const Option& row : run_options(any)) {
    const auto given = options.given.find(row.name);
    if ((row.rules & Option::Once) != 0 || given == options.given.end()) continue;
    for (const std::string& value : given->second) {
      words.push_back(row.name);
      if (!std::holds_alternative<bool*>(row.target)) words.push_back(value);
    }
  }
  for (const std::string& config : configs) words.insert(words.end(), {"--then", config});
  if (!configs.empty() && !options.out.empty()) words.insert(words.end(), {"--out", options.out});
  return words;
}

}  // namespace normbench
