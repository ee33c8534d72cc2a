/// The lines above and below the tables of a report.
#pragma once

#include "analysis/sweep/sweep.h"

namespace normbench {

/// Returns a line like "normbench 0.1.0 · AMD EPYC, 2 cores, L3 32 MiB, 1 thread · no GPU: no
/// NVIDIA driver".
std::string machine_line(const Results& results);
/// Returns what is missing because a run ended early, like "groups that were not finished are
/// missing".
std::string missing_text(const Results& results);
/// Returns a line like "blog-cpu · 6 variants of 10x3x720x1280 nchw, cold cache · limits
/// (read:write): 1:4 50 GB/s".
std::string run_line(const Results& results, const std::vector<Experiment>& list);

/// The lines that a person reads below an experiment's table.
struct ExperimentLines {
  std::vector<std::string> beside;   // skipped and failed cases, and peers
  std::vector<std::string> verdict;  // what verdict_lines() returns
  std::vector<std::string> trust;  // warnings, notes, and how far outputs and times can be trusted
  bool is_wrong = false;           // some output is wrong
  bool is_noisy = false;           // the machine was noisy
};
ExperimentLines experiment_lines(const Experiment& experiment, const Results& results);

}  // namespace normbench
