/// What `normbench run` is told.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "app/job.h"
#include "app/options.h"

namespace normbench {

struct RunOptions {
  std::vector<std::string> configs;
  ConfigOptions config;
  BackendOptions backend;
  bool device_given = false;
  std::string out, resume, machine, format = "text";
  std::string table = "torch";         // TableKind, of the profile that is shown
  std::int64_t trace_max_events = -1;  // -1: all
  bool gzip_trace = false;
  bool measure = false;          // under a profiling tool too
  std::string capture = "nvtx";  // what a profiling tool records by: nvtx, cuda-profiler
  bool force = false;
  std::vector<std::string> then;  // configs to run after the resumed one; not in --help
};

void add_run_options(CLI::App& app, RunOptions& options);

/// Throws Invalid for options that cannot be together.
void check_run_options(const RunOptions& options);

/// The command line that goes on with the run in `dir`, then runs `configs`, as these options say.
std::vector<std::string> to_go_on(const RunOptions& options, const std::string& dir,
                                  const std::vector<std::string>& configs);

/// The job as it would be begun now: with what these options say again, and with the config as the
/// file is now (as the journal has it when there is none).
Job begun_now(const RunOptions& options, const Job& job);

}  // namespace normbench
