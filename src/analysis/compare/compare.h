/// Two versions of the same measurements: what became slower, by how much, and how sure that is.
///
/// A side is the documents of its runs. With 6 paired runs a side or more, runs are the
/// replicates: the effect is the median over the pairs of ln(new time / base time), with its
/// exact interval. The change of the limits beside a case in the same runs is the machine's. It
/// is divided out where the pairs then agree better. Where the interval of the limits' own
/// change lies beyond the margin, that change may be the code's or another machine's: nothing
/// is divided, and changes that it explains are undecided. With fewer pairs, rounds are the
/// replicates. Then differences between runs are unknown, nothing is certain, and changes that
/// the machine may explain are undecided.
#pragma once

#include <utility>

#include "analysis/compare/match.h"
#include "analysis/compare/setup.h"
#include "document/statistics.h"

namespace normbench {

/// What became of a case; the worst is first.
enum class Change { Failed, Regressed, Inconclusive, NotCompared, Improved, Same };
constexpr auto words(Change) {
  return std::to_array<Word<Change>>({{Change::Failed, "failed"},
                                      {Change::Regressed, "regressed"},
                                      {Change::Inconclusive, "inconclusive"},
                                      {Change::NotCompared, "not_compared"},
                                      {Change::Improved, "improved"},
                                      {Change::Same, "same"}});
}

/// Why the times of a case give no verdict.
enum class NoVerdict {
  None,          // it has one
  Ended,         // skipped or failed on a side
  NotMeasured,   // in no pair of runs
  ClocksDiffer,  // device times on one side only
  NoTime,        // a round took none
  TooFewRuns,    // for an interval
  TooFewRounds,
  LimitsChanged,  // the limits of its group, by as much
  Preempted,      // others had the processor in a typical turn of the slower side
  AboveLimit      // faster than its limit in most runs of a side: what was measured is not the work
};

/// How a case ended in the runs of a side: Failed when it failed in any run, else Ok when it was
/// measured in any.
struct Ending {
  Status status = Status::Skipped;
  std::string reason;     // in the first run that ended so
  int such = 0, all = 0;  // runs that ended so; runs that have the case

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

/// A change of a case beside its time.
struct CaseFinding {
  enum class Kind { LinkBytes, Bytes, MaxError, Kernels, Faults, Threads, Status };
  using Value = std::variant<std::int64_t, double, RunBy, Status>;
  Kind kind;
  Value base, now;
  double bound = 0;      // of the error
  Ending ending = {};    // on the side that did not measure it

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

/// The findings of a case: bytes over the link, bytes moved, kernels and threads when they differ;
/// the error when it doubled and exceeds 1 % of its bound; page faults when they differ by 10 % and
/// at least one an iteration; the status when a case was skipped or failed on one side.
std::vector<CaseFinding> case_findings(const MatchedCase& matched);

struct ComparedCase {
  CaseName name;
  Change change = Change::NotCompared;
  bool certain = false;  // beyond doubt: failed; regressed over all runs and cases; improved or
                         // same in pairs of runs
  std::optional<double> base_ns, now_ns;  // median per iteration on the clock that decides
  std::optional<Interval> ratio;          // new time over base time, at 95 %
  std::optional<Interval> over_limits;    // the ratio divided by the limits' in the same rounds;
                                          // where it is there, it decides
  std::optional<double> visible;          // the smallest relative change that would have been seen
  std::optional<double> drift;            // largest relative change of its group's limits
  // One-sided, for "slower by no more than the margin". With pairs of runs it is adjusted for all
  // cases that may have regressed (family_p_values).
  double p_value = 1;
  int replicates = 0;                     // pairs of runs, or rounds of the side that has fewer
  NoVerdict why = NoVerdict::None;        // why it failed, or is inconclusive whatever its interval
  Ending ending;                          // on the side that Ended
  std::vector<CaseFinding> findings;

  /// The interval that decides. The case must have a ratio.
  const Interval& deciding() const { return over_limits ? *over_limits : *ratio; }
  bool fails_gate() const {
    return certain && (change == Change::Failed || change == Change::Regressed);
  }
};

struct ComparedSide {
  std::size_t runs = 0;
  Json tool = Json::object();         // the first run's
  Json environment = Json::object();  // the first run's
};

struct Comparison {
  std::string name;  // the config's
  DecidingClock clock = DecidingClock::Wall;
  ComparedSide base, now;
  int pairs = 0;           // runs of either side that have a partner
  bool run_pairs = false;  // the replicates are pairs of runs; else rounds
  bool same_limits = false;  // built alike, so limits show the machine's change
  Margin margin;
  std::vector<SetupDifference> differences;
  std::vector<Caution> cautions;
  std::vector<ComparedCase> cases;  // the worst first
  std::vector<CaseName> base_only, new_only;
};

/// Compares the runs of two sides, neither empty. Run i of `base` is the partner of run i of `now`.
/// `margin` replaces the one found in the documents.
Comparison compare(const std::vector<Results>& base, const std::vector<Results>& now,
                   std::optional<double> margin);

/// How a comparison ends for a gate, over all its cases.
enum class Gate { Passed, Regressed, Undecided };
constexpr auto words(Gate) {
  return std::to_array<Word<Gate>>(
      {{Gate::Passed, "passed"}, {Gate::Regressed, "regressed"}, {Gate::Undecided, "undecided"}});
}

/// Regressed: a case failed, or is slower beyond doubt. Undecided: a case's verdict is in doubt, a
/// case of BASE could not be compared, or there was none to compare.
Gate gate(const Comparison& comparison);

/// True when nothing forbids the comparison and some case is in both.
bool comparable(const Comparison& comparison);

/// The number of cases that ended so.
int count(const Comparison& comparison, Change change);

}  // namespace normbench
