/// The start of a run: a new one, or one that was interrupted.
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

/// A run that may be measured now.
struct Begun {
  Job job;
  Backends backends;  // the plan points into it
  Json environment;
  Plan plan;
  Journal journal;
  std::unique_ptr<ScratchFolder> scratch = {};  // while stages save files
};

/// Gives the stages of the plan that save files a folder of their own in `parent` ("": the system's
/// for temporary files); null where none does. Throws Invalid.
std::unique_ptr<ScratchFolder> make_scratch(const Plan& plan, const std::string& parent,
                                            const Backends& backends);

/// The jobs of these configs. Several are planned before the first of them begins, so that all
/// mistakes of all of them are told at once. Throws BadFiles, Invalid.
std::vector<Job> read_jobs(const RunOptions& options, std::span<const std::string> files);

/// Plans the job and begins its folder and journal. Throws BadInput, Invalid, CannotWrite.
Begun begin(const RunOptions& options, Job job);

/// Opens the run in `options.resume`. Throws Differs when it is not what it was and is not forced,
/// Invalid when its journal does not fit its config, CannotWrite. Changes nothing before that.
Begun go_on(const RunOptions& options);

}  // namespace normbench
