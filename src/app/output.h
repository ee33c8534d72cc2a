/// The folder that a run writes to, and what is in it and on the terminal at the end.
#pragma once

#include <string>

#include "app/job.h"
#include "app/run_options.h"
#include "document/journal.h"
#include "document/results.h"
#include "trace/model.h"

namespace normbench {

/// Whether a run was begun in `dir`.
bool holds_run(const std::string& dir);

/// Holds `dir` to have no run in it, and nothing that a run would write over. Throws Invalid naming
/// all there is.
void check_new_folder(const std::string& dir);

/// The same of a run that goes on: its own files are replaced. Removes what it left unfinished.
void check_own_folder(const std::string& dir);

/// Creates "results/NAME-20261120T235400Z", or with "-2" at its end where that was begun in the same
/// second. Throws CannotWrite.
std::string make_default_folder(const std::string& name);

/// Writes results.json, table.txt, report.html and, when the finished `trace` has lanes, trace.json
/// or trace.json.gz, and shows the run, as `options` say. What cannot be written to the folder goes
/// to a new one beside it or in $TMPDIR. Whatever could not be written or shown is said on stderr
/// and makes the code NotWritten; so does `unkept`, why the journal could not be written ("": it
/// could), which is then written like the other files.
Exit finish_run(const Job& job, const RunOptions& options, const Results& results,
                const TraceModel& trace, const Journal& journal, const std::string& unkept);

}  // namespace normbench
