/// What changed in a case besides its time, and how it ended in the runs of a side.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/compare/match.h"

namespace normbench {

/// How a case ended in the runs of a side: Failed when it failed in any, Ok when it was measured in
/// one.
struct Ending {
  Status status = Status::Skipped;
  std::string reason;             // of the first run that ended so
  int such = 0, all = 0;          // runs that ended so, of those that have the case

  bool operator==(const Ending&) const = default;
};
Ending ending_of(const std::vector<CaseRun>& runs);

/// The case in the first run that measured it, else in the first that has it.
const CaseResult& shown_case(const std::vector<CaseRun>& runs);

/// What runs a case: a peer's version or name, or "", and the op and kernel of each stage.
struct RunBy {
  std::string peer;
  std::vector<std::pair<std::string, std::string>> stages;

  bool operator==(const RunBy&) const = default;
};

/// Something of a case that changed whatever its time did.
struct CaseFinding {
  enum class Kind { LinkBytes, Bytes, MaxError, Kernels, Faults, Threads, Status };
  using Value = std::variant<std::int64_t, double, RunBy, Status>;
  Kind kind;
  Value base, now;
  double bound = 0;      // of the error
  Ending ending = {};    // of the side that did not measure it

  bool operator==(const CaseFinding&) const = default;
};
constexpr auto words(CaseFinding::Kind) {
  using enum CaseFinding::Kind;
  return std::to_array<Word<CaseFinding::Kind>>({{LinkBytes, "link_bytes"},
                                                 {Bytes, "bytes"},
                                                 {MaxError, "max_error"},
                                                 {Kernels, "kernels"},
                                                 {Faults, "faults"},
                                                 {Threads, "threads"},
                                                 {Status, "status"}});
}

/// Bytes over the link and bytes moved, kernels and threads, when they are not the same; the error
/// when it doubled and is above 1 % of its bound; page faults when they differ by more than 10 %
/// and at least one an iteration; the status when a case was skipped, or failed, on one side.
std::vector<CaseFinding> case_findings(const MatchedCase& matched);

}  // namespace normbench
