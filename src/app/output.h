/// The folder that a run writes to: its files, and what the terminal shows at the end.
#pragma once

#include <string>

#include "analysis/analysed.h"
#include "app/job.h"
#include "app/run_options.h"
#include "document/journal.h"
#include "trace/model.h"

namespace normbench {

/// Returns true if `dir` has the journal of a begun run, or a results.json that normbench wrote.
bool holds_run(const std::string& dir);

/// Throws Invalid if `dir` holds a run, or files that a run would write over. The message names all
/// of these files.
void check_new_folder(const std::string& dir);

/// Throws Invalid if a continued run would write over files in `dir` that are not its own. Removes
/// the run's half-written files.
void check_own_folder(const std::string& dir);

/// Creates a folder like "results/NAME-20261120T235400Z", with the time in UTC, and returns its
/// path. Appends "-2", "-3", … if the folder exists. Throws CannotWrite.
std::string make_default_folder(const std::string& name);

/// Returns " --allow-peers" if the run has this option, which must be given again to continue the
/// run; else "".
std::string peers_option(const Job& job);

/// Writes results.json, table.txt, report.html and, if the finished `trace` has lanes, trace.json
/// or trace.json.gz. Then shows the run as `options` say.
/// - A file that cannot be written goes to a new folder beside the run's, or else to one in
///   $TMPDIR.
/// - `unkept` is why the journal could not be written, or "". If it is not "", the journal goes to
///   the new folder, too.
/// - Each failure to write a file or to show the run is reported on stderr. The exit code is then
///   NotWritten, as it is if `unkept` is not "".
Exit finish_run(const Job& job, const RunOptions& options, const Analysed& analysed,
                const TraceModel& trace, const Journal& journal, const std::string& unkept);

}  // namespace normbench
