/// The folder that a run writes to, and what is in it and on the terminal at the end.
#pragma once

#include <string>

#include "app/job.h"
#include "app/run_options.h"
#include "document/journal.h"
#include "document/results.h"
#include "trace/model.h"

namespace normbench {

/// Whether a run was begun in `dir`; and how that is said where another was to be.
bool holds_run(const std::string& dir);
std::string run_is_there(const std::string& dir);

/// Creates `dir` for a new run; when it is empty, "results/NAME-20261120T235400Z". Throws Invalid
/// when it already holds a run, CannotWrite when it cannot be created.
std::string make_output_dir(const std::string& dir, const std::string& name);

/// Writes results.json, table.txt, report.html and, when the finished `trace` has lanes, trace.json
/// or trace.json.gz, and shows the run, as `options` say. What cannot be written to the folder goes
/// to a new one beside it or in $TMPDIR. Whatever could not be written or shown is said on stderr
/// and makes the code NotWritten; so does `unkept`, why the journal could not be written ("": it
/// could), which is then written like the other files.
Exit finish_run(const Job& job, const RunOptions& options, const Results& results,
                const TraceModel& trace, const Journal& journal, const std::string& unkept);

}  // namespace normbench
