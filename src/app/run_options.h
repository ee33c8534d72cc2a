/// The options of `normbench run`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/job.h"
#include "report/table_formats.h"

namespace normbench {

/// What starts and stops the recording of a profiling tool: the NVTX range `capture`, or
/// cudaProfilerStart() and cudaProfilerStop().
enum class Capture { Nvtx, CudaProfiler };
constexpr auto words(Capture) {
  return std::to_array<Word<Capture>>(
      {{Capture::Nvtx, "nvtx"}, {Capture::CudaProfiler, "cuda-profiler"}});
}

struct RunOptions {
  std::vector<std::string> files, configs;  // values of FILE; values of --config FILE
  JobOptions job;
  std::string out, resume;
  bool force = false;
  TextOrJson format = TextOrJson::Text;
  TableKind table = TableKind::Torch;  // the kind of profiler table to show
  std::int64_t trace_max_events = -1;  // -1: no limit
  bool gzip_trace = false;
  bool no_html = false;
  bool quiet = false;
  bool strict = false;   // the exit code depends on the outcomes of the config's claims
  bool measure = false;  // measures even under a profiling tool
  Capture capture = Capture::Nvtx;
  std::string scratch;    // folder in which stages save files; "": the system's temporary folder
  bool is_asked = false;  // another normbench started this one (--asker)
  std::vector<std::string> then;  // configs to run after the resumed run (--then, hidden)
  Given given;                    // the values given to each option
};

/// Returns all options of `run`, in the order of --help.
std::vector<Option> run_options(RunOptions& options);

/// Throws Invalid if --machine is not a valid name, if there is neither a config nor --resume, if
/// an option that excludes --resume is given with it, or if an option that needs --resume is given
/// without it.
void check_run_options(const RunOptions& options);

/// Returns the arguments with which this program continues the run in `dir` after a case has hung,
/// and then runs `configs`.
std::vector<std::string> to_go_on(const RunOptions& options, const std::string& dir,
                                  std::span<const std::string> configs);

}  // namespace normbench
