#include "app/finish.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/output.h"
#include "app/say.h"
#include "core/file.h"
#include "report/report.h"
#include "report/table_formats.h"

namespace normbench {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool has_trace(const std::vector<std::string>& names) {
  return std::ranges::any_of(
      names, [](const std::string& name) { return name.starts_with("trace.json"); });
}

void show(const Results& results, const Job& job, const Written& written,
          const RunOptions& options) {
  if (options.format == "json") return say("{}", report_named("json").render(results));
  std::string text =
      terminal(results, parse_word<TableKind>(options.table).value_or(TableKind::Torch));
  if (!written.names.empty())
    text += fmt::format("Wrote {}: {}{}\n", job.dir, joined(written.names),
                        has_trace(written.names) ? " (open in ui.perfetto.dev)" : "");
  say("{}", text);
}

/// What must be said again to go on with the run.
std::string peers_option(const Job& job) { return job.options.allow_peers ? " --allow-peers" : ""; }

/// What went wrong with the files, and where what was finished is now.
void tell_errors(const Job& job, const Written& written, const std::string& unkept) {
  if (!unkept.empty()) tell("normbench: {}\n", unkept);
  for (const std::string& error : written.errors) tell("normbench: {}\n", error);
  if (!written.rescued.empty())
    tell("normbench: wrote {} to {} instead\n", joined(written.rescued), written.other);
  else if (!written.errors.empty())
    tell("normbench: there was no room for it beside it nor in the folder of temporary files\n");
  if (unkept.empty()) return;
  tell("normbench: the run ended there; go on with: normbench run --resume {}{}\n",
       written.rescued.empty() ? job.dir : written.other, peers_option(job));
}

Exit measured(const Results& results) {
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases)
      if (result.status == Status::Failed) return Exit::Failed;
  return Exit::Fine;
}

}  // namespace

Exit finish_run(const Job& job, const RunOptions& options, const Results& results,
                const TraceModel& trace, const Journal& journal, const std::string& unkept) {
  const bool kept = unkept.empty();
  const bool interrupted = results.interrupted && kept;
  const Written written = write_outputs(
      job.dir, results, trace, {.gzip = options.gzip_trace, .max_events = options.trace_max_events},
      kept ? nullptr : &journal);
  Exit code = interrupted ? Exit::Interrupted : measured(results);
  try {
    show(results, job, written, options);
    if (interrupted && options.format == "text")
      say("Interrupted; go on with: normbench run --resume {}{}\n", job.dir, peers_option(job));
  } catch (const CannotWrite& error) {
    tell("normbench: {}\n", error.what());
    code = std::max(code, Exit::NotWritten);
  }
  tell_errors(job, written, unkept);
  return kept && written.errors.empty() ? code : std::max(code, Exit::NotWritten);
}

}  // namespace normbench
