#include "app/output.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>

#include "analysis/claim_tally.h"
#include "app/own_files.h"
#include "app/process.h"
#include "app/terminal.h"
#include "core/file.h"
#include "core/issue.h"
#include "core/system_error.h"
#include "core/text.h"
#include "report/chrome/chrome.h"
#include "report/chrome/gzip.h"
#include "report/report.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

constexpr const char* kJournal = "journal.jsonl";

struct RunFile {
  std::string name;
  Written kind;
};

std::vector<RunFile> run_files() {
  std::vector<RunFile> files{{kJournal, Written::Journal}};
  for (const Report& report : reports())
    if (!report.file.empty())
      files.push_back(
          {std::string(report.file), report.name == "json" ? Written::Results : Written::Derived});
  files.push_back({"trace.json", Written::Trace});
  files.push_back({"trace.json.gz", Written::Trace});
  return files;
}

struct WrittenFiles {
  std::vector<std::string> names;   // files that were written to the run's folder
  std::vector<std::string> errors;  // why a file is missing, like "cannot write a.txt: ..."
  // Another folder, to which the missing files were written; "" if there is none.
  std::string other;
  std::vector<std::string> rescued;    // names of the files in `other`
  std::vector<std::string> no_rescue;  // why other folders could not take the missing files
};

struct OutputFile {
  std::string name;
  std::function<void(const std::string& path)> write;  // throws CannotWrite
};

OutputFile trace_output(const TraceModel& trace, const RunOptions& options) {
  const auto write = [&trace, most = options.trace_max_events](std::ostream& out) {
    write_chrome(trace, out, {.max_events = most});
  };
  if (!options.gzip_trace)
    return {"trace.json", [write](const std::string& path) { write_file(path, write); }};
  return {"trace.json.gz", [write](const std::string& path) {
            write_file(path, [&](std::ostream& out) { gzip_to(out, write); });
          }};
}

std::vector<OutputFile> output_files(const Analysed& analysed, const TraceModel& trace,
                                     const RunOptions& options) {
  std::vector<OutputFile> files;
  for (const Report& report : reports())
    if (!report.file.empty() && !(options.no_html && report.name == "html"))
      files.push_back({std::string(report.file), [&](const std::string& path) {
                         write_file(path, report.render(analysed, Screen{}));
                       }});
  // results.json comes first, in case the disk is nearly full: all other files can be made from it.
  std::stable_partition(files.begin(), files.end(),
                        [](const auto& file) { return file.name == "results.json"; });
  files.push_back(trace_output(trace, options));
  return files;
}

/// Writes files into a folder, and returns the files that could not be written. Adds the written
/// files to `names`, and the reasons for failures to `errors`.
std::vector<OutputFile> write_into(const fs::path& dir, std::vector<OutputFile> files,
                                   std::vector<std::string>& names,
                                   std::vector<std::string>& errors) {
  std::vector<OutputFile> rest;
  for (OutputFile& file : files) {
    try {
      file.write((dir / file.name).string());
      names.push_back(file.name);
    } catch (const CannotWrite& error) {
      errors.emplace_back(error.what());
      rest.push_back(std::move(file));
    }
  }
  return rest;
}

/// Creates a folder from each of `templates` (for mkdtemp()) in turn, until all files could be
/// written to one of them. Removes the other folders.
void rescue(const std::vector<OutputFile>& files, const std::vector<std::string>& templates,
            WrittenFiles& written) {
  for (const std::string& wanted : templates) {
    std::string folder = wanted;
    if (mkdtemp(folder.data()) == nullptr) {
      written.no_rescue.push_back(
          fmt::format("cannot create {}: {}", wanted, system_error_text(errno)));
      continue;
    }
    std::vector<std::string> names, errors;
    if (write_into(folder, files, names, errors).empty()) {
      written.other = folder;
      written.rescued = names;
      return;
    }
    // Removes the files by their names. Listing the folder would take a file descriptor, and there
    // may be none left.
    for (const OutputFile& file : files) unlink((fs::path(folder) / file.name).c_str());
    rmdir(folder.c_str());
    written.no_rescue.push_back(errors.front());
  }
}

/// Removes files that a killed process has left incomplete.
void remove_unfinished(const fs::path& dir) {
  const std::vector<RunFile> files = run_files();
  std::error_code error;
  fs::directory_iterator entry(dir, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (std::ranges::find(files, WholeFile::named_beside(name), &RunFile::name) != files.end())
      unlink(entry->path().c_str());
  }
}

/// Writes the files of a run. `unkept` is the journal if it could not be written to `dir`;
/// otherwise null.
WrittenFiles write_outputs(const std::string& dir, const RunOptions& options,
                           const Analysed& analysed, const TraceModel& trace,
                           const Journal* unkept) {
  WrittenFiles written;
  std::vector<OutputFile> files = output_files(analysed, trace, options);
  if (trace.lanes.empty()) files.pop_back();
  files = write_into(dir, std::move(files), written.names, written.errors);
  if (unkept != nullptr)
    files.push_back({kJournal, [unkept](const std::string& path) { unkept->copy_to(path); }});
  fs::path folder = fs::path(dir).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const char* const tmpdir = std::getenv("TMPDIR");
  if (!files.empty())
    rescue(files,
           {folder.string() + "-rescued-XXXXXX",
            (fs::path(tmpdir != nullptr ? tmpdir : "/tmp") /
             fmt::format("normbench-{}-rescued-XXXXXX", folder.filename().string()))
                .string()},
           written);
  return written;
}

bool any_starts(const std::vector<std::string>& names, std::string_view start) {
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return name.starts_with(start); });
}

void show_run(const Analysed& analysed, const Job& job, const WrittenFiles& written,
              const RunOptions& options) {
  if (options.format == TextOrJson::Json)
    return write_result(report_named("json").render(analysed, Screen{}));
  const Screen screen = stdout_screen();
  std::string text = terminal(analysed, options.table, screen);
  if (!written.names.empty())
    text += wrapped(
        fmt::format("Wrote {}: {}{}", job.dir, fmt::join(written.names, ", "),
                    any_starts(written.names, "trace.json") ? " (open in ui.perfetto.dev)" : ""),
        0, prose_width(screen));
  show(text);
}

void suggest_reading(const Job& job, const WrittenFiles& written, const RunOptions& options) {
  const bool has_page = any_starts(written.names, "report.html");
  const std::string what = has_page ? (fs::path(job.dir) / "report.html").string() : job.dir;
  suggest(options.quiet, has_page ? fmt::format("open {} in a browser", shell_word(what))
                                  : fmt::format("normbench report {}", shell_word(what)));
}

/// Reports why files could not be written, and where the written ones are.
void tell_errors(const Job& job, const WrittenFiles& written, const std::string& unkept) {
  if (!unkept.empty()) tell("normbench: {}\n", unkept);
  for (const std::string& error : written.errors) tell("normbench: {}\n", error);
  if (!written.rescued.empty())
    tell("normbench: wrote {} to {} instead\n", fmt::join(written.rescued, ", "), written.other);
  else if (!written.no_rescue.empty())
    tell("normbench: they could not be written to another folder either: {}\n",
         fmt::join(written.no_rescue, "; "));
  if (unkept.empty()) return;
  tell("normbench: the run ended there; continue with: normbench run --resume {}{}\n",
       shell_word(written.rescued.empty() ? job.dir : written.other), peers_option(job));
}

/// If no case was measured, reports the reasons and returns true. Otherwise returns false. The
/// reasons of failed cases are left out, because the table has them.
bool tell_nothing_measured(const Results& results) {
  std::vector<std::string> reasons;
  std::size_t cases = 0, failed = 0;
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases) {
      if (result.status == Status::Ok) return false;
      ++cases;
      if (result.status == Status::Failed) ++failed;
      if (result.status == Status::Skipped &&
          std::ranges::find(reasons, result.reason) == reasons.end())
        reasons.push_back(result.reason);
    }
  const std::string skipped = fmt::format("{}", fmt::join(reasons, "; "));
  if (failed > 0)
    tell("normbench: nothing was measured: {} of {} failed{}{}\n", failed, cases,
         skipped.empty() ? "" : ", all others were skipped: ", skipped);
  else if (!skipped.empty())
    tell("normbench: nothing was measured, every case was skipped: {}\n", skipped);
  return failed > 0 || !skipped.empty();
}

Exit code_of(const Results& results) {
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases)
      if (result.status == Status::Failed) return Exit::Failed;
  return Exit::Fine;
}

/// Returns the exit code for the claims. If it is not Fine, reports why.
Exit strict_code(const Analysed& analysed) {
  const ClaimTally tally = tally_claims(analysed);
  const int all = tally.decided() + tally.inconclusive + tally.not_run;
  const auto tell_some = [all](int count, std::string_view how) {
    tell("normbench: --strict: {} of {} {}\n", count, counted(all, "judged claim"), how);
  };
  if (tally.contradicted > 0) {
    tell_some(tally.contradicted, "contradicted, or in direction only");
    return Exit::Failed;
  }
  if (tally.inconclusive > 0)
    tell_some(tally.inconclusive, "inconclusive");
  else if (all == 0)
    tell("normbench: --strict: there is no claim to judge\n");
  else if (tally.confirmed == 0)
    tell_some(tally.not_run, "not run, so none was decided");
  else
    return Exit::Fine;
  return Exit::Inconclusive;
}

}  // namespace

std::string peers_option(const Job& job) {
  return job.options.config.allow_peers ? " --allow-peers" : "";
}

bool holds_run(const std::string& dir) {
  std::error_code unknown;
  const fs::path results = fs::path(dir) / "results.json";
  return Journal::begun((fs::path(dir) / kJournal).string()) ||
         (fs::exists(fs::symlink_status(results, unknown)) &&
          why_not_over(results.string(), Written::Results).empty());
}

void check_new_folder(const std::string& dir) {
  if (holds_run(dir))
    throw Invalid(fmt::format("{} already holds a run (another --out, or --resume {})", dir,
                              shell_word(dir)));
  std::vector<std::string> there;
  std::error_code unknown;
  for (const auto& [name, kind] : run_files()) {
    const std::string path = (fs::path(dir) / name).string();
    const bool is_cut_off = kind == Written::Journal && why_not_over(path, kind).empty();
    if (!is_cut_off && fs::exists(fs::symlink_status(path, unknown))) there.push_back(name);
  }
  if (!there.empty())
    throw Invalid(
        fmt::format("{} holds what a run would write over: {} (another --out, or move {})", dir,
                    fmt::join(there, ", "), there.size() == 1 ? "it" : "them"));
}

void check_own_folder(const std::string& dir) {
  std::vector<std::string> foreign;
  for (const auto& [name, kind] : run_files())
    if (const std::string why = why_not_over((fs::path(dir) / name).string(), kind); !why.empty())
      foreign.push_back(fmt::format("{}: {}", name, why));
  if (!foreign.empty())
    throw Invalid(fmt::format("{} holds what the run would write over: {} (move {})", dir,
                              fmt::join(foreign, "; "), foreign.size() == 1 ? "it" : "them"));
  remove_unfinished(dir);
}

std::string make_default_folder(const std::string& name) {
  return create_own_folder(fmt::format("results/{}-{:%Y%m%dT%H%M%SZ}", name,
                                       fmt::gmtime(std::chrono::system_clock::now())));
}

Exit finish_run(const Job& job, const RunOptions& options, const Analysed& analysed,
                const TraceModel& trace, const Journal& journal, const std::string& unkept) {
  const Results& results = analysed.results();
  const bool kept = unkept.empty();
  const bool interrupted = results.interrupted && kept;
  const WrittenFiles written =
      write_outputs(job.dir, options, analysed, trace, kept ? nullptr : &journal);
  Exit code = interrupted ? Exit::Interrupted : code_of(results);
  if (options.strict && code == Exit::Fine) code = strict_code(analysed);
  try {
    show_run(analysed, job, written, options);
    if (interrupted) {
      constexpr auto text = "Interrupted; continue with: normbench run --resume {}{}\n";
      const std::string dir = shell_word(job.dir), peers = peers_option(job);
      options.format == TextOrJson::Text ? say(text, dir, peers) : tell(text, dir, peers);
    }
  } catch (const CannotWrite& error) {
    tell("normbench: {}\n", error.what());
    code = std::max(code, Exit::NotWritten);
  }
  tell_errors(job, written, unkept);
  const bool has_result = !results.interrupted && !tell_nothing_measured(results);
  if (has_result && !written.names.empty()) suggest_reading(job, written, options);
  return kept && written.errors.empty() ? code : std::max(code, Exit::NotWritten);
}

}  // namespace normbench
