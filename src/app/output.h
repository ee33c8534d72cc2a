/// The folder that a run writes to: what it holds, and what the terminal shows at the end.
#pragma once

#include <string>

#include "analysis/analysed.h"
#include "app/job.h"
#include "app/run_options.h"
#include "document/journal.h"
#include "trace/model.h"

namespace normbench {

/// True if a run was begun in `dir`.
bool holds_run(const std::string& dir);

/// Throws Invalid unless `dir` holds no run and nothing that a run would write over. The message
/// names all there is.
void check_new_folder(const std::string& dir);

/// Checks the same for a run that goes on and may replace its files; removes its unfinished ones.
void check_own_folder(const std::string& dir);

/// Creates "results/NAME-20261120T235400Z", with "-2" at its end if another was begun in that
/// second. Throws CannotWrite.
std::string make_default_folder(const std::string& name);

/// Writes results.json, table.txt, report.html and, when the finished `trace` has lanes, trace.json
/// or trace.json.gz, and shows the run, as `options` say. Files that cannot be written go to a new
/// folder beside it or in $TMPDIR. Every failure to write or show is reported on stderr and makes
/// the code NotWritten. So does `unkept`, why the journal could not be written ("": it could); the
/// journal is then written like the other files.
Exit finish_run(const Job& job, const RunOptions& options, const Analysed& analysed,
                const TraceModel& trace, const Journal& journal, const std::string& unkept);

}  // namespace normbench
