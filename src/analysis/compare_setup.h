/// What two sides were measured with: the differences that forbid a comparison, and those that only
/// deserve a word.
#pragma once

#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

/// A fact that is not the same in all documents.
struct SetupDifference {
  std::string what;       // "GPU", "threads", "config /measure/precision"
  std::string base, now;  // each side's values
  bool forbids = false;

  bool operator==(const SetupDifference&) const = default;
};

/// Every fact that differs between any two documents; what a document does not say is not compared.
/// Forbid: GPU, driver, CPU, threads, instruction set, build type, compiler, sanitizers, config,
/// clock, cache, quick, traced. Do not: kernel, host, microcode, memory settings, compiler flags,
/// what the link came to.
std::vector<SetupDifference> setup_differences(const std::vector<Results>& base,
                                               const std::vector<Results>& now);

/// What a reader should know besides: runs without a partner, interrupted runs, runs of the two
/// sides that did not take turns, a machine that was much busier on one side.
std::vector<std::string> setup_warnings(const std::vector<Results>& base,
                                        const std::vector<Results>& now);

/// True unless the dates say that the runs of the two sides did not take turns.
bool took_turns(const std::vector<Results>& base, const std::vector<Results>& now);

/// A relative change within this is none.
struct Margin {
  double value = 0;
  std::string reason;
};

/// The largest of 2 %, the precision that a config asks for, and what fresh processes of the same
/// code differ by (calibrated). Where that is unknown and runs are no pairs that took turns: 5 %.
Margin margin_of(const std::vector<Results>& base, const std::vector<Results>& now, bool run_pairs);

}  // namespace normbench
