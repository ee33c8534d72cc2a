/// Runs the experiments of a config, for the subcommands `run` and `try`.
#pragma once

#include "app/job.h"
#include "app/process.h"
#include "app/run_options.h"

namespace normbench {

/// Runs a new job: measures it, writes its files and shows the report. Returns the exit code.
/// Throws BadInput, Invalid, CannotWrite.
Exit run_new(const RunOptions& options, Job job);

}  // namespace normbench
