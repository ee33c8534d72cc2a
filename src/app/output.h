/// The folder that a run writes to: its files, and what the terminal shows at the end.
#pragma once

#include <string>

#include "analysis/analysed.h"
#include "app/job.h"
#include "app/run_options.h"
#include "document/journal.h"
#include "trace/model.h"

namespace normbench {

/// Returns true if a run was begun in `dir`.
bool holds_run(const std::string& dir);

/// Throws Invalid if `dir` holds a run, or files that a run would write over. The message names all
/// of these files.
void check_new_folder(const std::string& dir);

/// Throws Invalid if a continued run would write over files in `dir` that are not its own. Removes
/// the run's half-written files.
void check_own_folder(const std::string& dir);

/// Creates the folder "results/NAME-20261120T235400Z" and returns its path. Appends "-2" if another
/// run was begun in that second. Throws CannotWrite.
std::string make_default_folder(const std::string& name);

/// Returns " --allow-peers" if the run has this option, which must be given again to continue the
/// run; else "".
std::string peers_option(const Job& job);

/// Writes results.json, table.txt and report.html, and shows the run, as `options` say. Writes
/// trace.json or trace.json.gz if the finished `trace` has lanes. Files that cannot be written go
/// to a new folder beside the run's or in $TMPDIR. Each failure to write or show is reported on
/// stderr and makes the exit code NotWritten.
/// `unkept` is why the journal could not be written, or "". If there is a reason, the exit code is
/// NotWritten, and the journal goes to the new folder, too.
Exit finish_run(const Job& job, const RunOptions& options, const Analysed& analysed,
                const TraceModel& trace, const Journal& journal, const std::string& unkept);

}  // namespace normbench
