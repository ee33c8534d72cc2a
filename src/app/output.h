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
/// path. If the folder exists, appends "-2", "-3" and so on. Throws CannotWrite.
std::string make_default_folder(const std::string& name);

/// Returns " --allow-peers" if the run was given this option, else "". To continue such a run, the
/// option must be given again.
std::string peers_option(const Job& job);

/// Writes results.json, table.txt, report.html and, if `trace` has lanes (threads or streams),
/// trace.json or trace.json.gz. Then shows the run as `options` say.
/// - A file that cannot be written is written to a new folder beside the run's folder. If that
///   fails, it is written to a new folder in $TMPDIR.
/// - `unkept` is the reason why the journal could not be written, or "". If there is a reason, the
///   journal is also written to the new folder.
/// - Each failure to write a file or to show the run is reported on stderr. If there was a failure,
///   or `unkept` is not "", the exit code is at least NotWritten.
Exit finish_run(const Job& job, const RunOptions& options, const Analysed& analysed,
                const TraceModel& trace, const Journal& journal, const std::string& unkept);

}  // namespace normbench
