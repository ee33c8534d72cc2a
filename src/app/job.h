/// A job: the data that another process needs to continue a run (--resume) or to measure a part of
/// it.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "core/json.h"
#include "plan/plan.h"

namespace normbench {

/// Options that affect the results. A journal keeps them, and a resumed run needs the same values.
struct JobOptions {
  ConfigOptions config;
  BackendOptions backend;
  std::string machine;  // replaces the host's name; equal machines may share a name
};

/// Returns the options that set the members of `options`.
std::vector<Option> job_options(JobOptions& options);

struct Job {
  std::string file, text;  // the config's path and its text
  JobOptions options = {};
  std::string dir = {};     // the folder that the run writes to
  std::string folder = {};  // absolute path of the config's folder; "": the folder of `file`
  // Free memory when the run began. All processes of the run plan with it. 0: unknown.
  Sides free_bytes = {};
};

/// Returns a new job for the config in `file`. Makes paths in `options` absolute. Throws BadInput.
Job read_new_job(const std::string& file, JobOptions options);

Json to_json(const Job& job);
/// Reads the job of the run in `dir`. Throws Invalid if `json` describes no job. Only members that
/// newer versions have added may be absent.
Job read_job(const Json& json, const std::string& dir);

Plan make_plan(const Job& job, const Backends& backends);

}  // namespace normbench
