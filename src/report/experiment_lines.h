/// The lines that a report shows above and below its tables.
#pragma once

#include "analysis/sweep/sweep.h"

namespace normbench {

/// Returns a line with the version of normbench, the CPU, the numbers of threads, and the GPU or
/// why there is none.
std::string machine_line(const Results& results);
/// Returns what is missing because a run was interrupted, like "groups that were not finished are
/// missing".
std::string missing_text(const Results& results);
/// Returns a line with the name, size and cache setting of a run, like "blog-cpu", "6 variants of
/// 10x3x720x1280 nchw" and "cold cache". If the run has a single group, limits_summary() follows.
std::string run_line(const Results& results, const std::vector<Experiment>& list);

/// The lines that a person reads below an experiment's table.
struct ExperimentLines {
  std::vector<std::string> beside;   // the skipped, failed and unmeasured cases, and the peers
  std::vector<std::string> verdict;  // the result of verdict_lines()
  std::vector<std::string> trust;  // warnings, notes, and how far outputs and times can be trusted
  bool is_wrong = false;           // some output is wrong
  bool is_noisy = false;           // the machine was noisy
};
ExperimentLines experiment_lines(const Experiment& experiment, const Results& results);

}  // namespace normbench
