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

/// A run that is ready to be measured.
struct Begun {
  Job job;
  Backends backends;  // the plan points into it
  Json environment;
  Plan plan;
  Journal journal;
  std::unique_ptr<ScratchFolder> scratch = {};  // only if stages save files
};

/// Makes a scratch folder in `parent` ("": the system's for temporary files) for stages of the plan
/// that save files; null where none does. Throws Invalid.
std::unique_ptr<ScratchFolder> make_scratch(const Plan& plan, const std::string& parent,
                                            const Backends& backends);

/// Reads the jobs of these configs. All configs are planned before the first one begins, so that
/// all mistakes in all of them are reported at once. Throws BadFiles, Invalid.
std::vector<Job> read_jobs(const RunOptions& options, std::span<const std::string> files);

/// Plans the job and begins its folder and journal. Throws BadInput, Invalid, CannotWrite.
Begun begin(const RunOptions& options, Job job);

/// Opens the run in `options.resume`. Throws Differs when it has changed and is not forced, Invalid
/// when its journal does not fit its config, CannotWrite. Changes nothing before that.
Begun go_on(const RunOptions& options);

}  // namespace normbench
