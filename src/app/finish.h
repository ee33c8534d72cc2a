/// The end of a run: its files, what it shows, its exit code.
#pragma once

#include <string>

#include "app/commands.h"
#include "app/job.h"
#include "app/run_options.h"
#include "document/journal.h"
#include "document/results.h"
#include "trace/model.h"

namespace normbench {

/// Writes the files of a run and shows it, both as `options` say; `trace` is finished. Whatever
/// could not be written or shown is said on stderr with where it is instead, and makes the code
/// NotWritten; so does `unkept`, why the journal could not be written ("": it could).
Exit finish_run(const Job& job, const RunOptions& options, const Results& results,
                const TraceModel& trace, const Journal& journal, const std::string& unkept);

}  // namespace normbench
