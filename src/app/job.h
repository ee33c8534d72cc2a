/// What a run needs to be done again elsewhere: by --resume, or by a process of its own.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "core/json.h"
#include "plan/plan.h"

namespace normbench {

/// The options that decide numbers: a journal keeps them, and a resumed run needs them alike.
struct JobOptions {
  ConfigOptions config;
  BackendOptions backend;
  std::string machine;  // instead of the host's name; one for all that count as one machine
};

/// A row for each of them.
std::vector<Option> job_options(JobOptions& options);

struct Job {
  std::string file, text;  // the config
  JobOptions options = {};
  std::string dir = {};     // where it writes
  std::string folder = {};  // of the config, absolute; empty: as `file` says from here
  Sides free_bytes = {};    // what the run began with: all its parts are planned alike; 0: unknown
};

/// A new job of the config in `file`; paths in `options` become absolute. Throws BadInput.
Job read_new_job(const std::string& file, JobOptions options);

Json to_json(const Job& job);
/// Throws Invalid when `json` describes no job; only what is newer than journals may be absent.
Job read_job(const Json& json, const std::string& dir);

Plan make_plan(const Job& job, const Backends& backends);

}  // namespace normbench
