/// Everything that a run needs to be done again elsewhere: by --resume, or in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "core/json.h"
#include "plan/plan.h"

namespace normbench {

/// Options that affect numbers. A journal keeps them, and a resumed run needs the same.
struct JobOptions {
  ConfigOptions config;
  BackendOptions backend;
  std::string machine;  // instead of the host's name; the same for equal machines
};

/// A row for each of these options.
std::vector<Option> job_options(JobOptions& options);

struct Job {
  std::string file, text;  // the config
  JobOptions options = {};
  std::string dir = {};     // the folder it writes to
  std::string folder = {};  // the config's, absolute; empty: where `file` says
  Sides free_bytes = {};    // when the run began, so that all parts are planned alike; 0: unknown
};

/// A new job of the config in `file`; paths in `options` become absolute. Throws BadInput.
Job read_new_job(const std::string& file, JobOptions options);

Json to_json(const Job& job);
/// Reads a job. Throws Invalid when `json` describes none. Only newer members may be absent.
Job read_job(const Json& json, const std::string& dir);

Plan make_plan(const Job& job, const Backends& backends);

}  // namespace normbench
