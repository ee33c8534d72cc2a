/// Begins a new run, or continues an interrupted one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/job.h"
#include "app/run_options.h"
#include "backend/backend.h"
#include "core/scratch_folder.h"
#include "document/journal.h"
#include "plan/plan.h"

namespace normbench {

/// A run that is ready to be measured.
struct Begun {
  Job job;
  Backends backends;  // `plan` points into them
  Json environment;
  Plan plan;
  Journal journal;
  std::unique_ptr<ScratchFolder> scratch = {};  // null if no stage saves files
};

/// Makes a scratch folder in `parent` for the plan's stages that save files, and sets it in the CPU
/// backend. An empty `parent` means the system's folder for temporary files. Returns null if no
/// stage saves files. Throws Invalid if the folder cannot be made.
std::unique_ptr<ScratchFolder> make_scratch(const Plan& plan, const std::string& parent,
                                            const Backends& backends);

/// Reads a job from each of `files`. If there are several files, also plans each job, so that the
/// mistakes in all files are reported before the first run begins. Throws BadFiles, Invalid.
std::vector<Job> read_jobs(const RunOptions& options, std::span<const std::string> files);

/// Plans the job and creates its folder and journal. Throws BadInput, Invalid, CannotWrite.
Begun begin(const RunOptions& options, Job job);

/// Opens the interrupted run in `options.resume`. Throws:
/// - Differs if the config, the options, the program or the machine has changed, and --force is not
///   given;
/// - Invalid if the journal does not fit the config;
/// - CannotWrite.
/// No file is changed before Differs and Invalid have been ruled out.
Begun go_on(const RunOptions& options);

}  // namespace normbench
