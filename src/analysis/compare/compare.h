/// Compares two versions of the same measurements, BASE and NEW: which cases became slower, by how
/// much, and how certain that is.
///
/// Each side has one document for each run. Run i of BASE and run i of NEW are a pair.
/// - With 6 pairs or more, each pair gives one value, ln(new time / base time). The effect is the
///   median of these values, with its exact interval.
/// - With fewer pairs, the rounds of all runs are compared. They do not show how much runs of the
///   same code differ, so the verdicts are not certain.
///
/// Each run also measures limits of the machine, such as memory streams. They show how the machine
/// changed:
/// - If the limits changed by more than the margin, a case may have changed because of the machine.
///   If the change of the limits may explain the change of the case, the case is undecided.
/// - Otherwise, if both sides were built alike, the logarithm of the change of the limits is
///   subtracted from the value of each pair. The results replace the values if this makes the
///   interval narrower.
/// With fewer than 6 pairs, nothing is subtracted, and every change that the limits may explain is
/// undecided.
#pragma once

#include <utility>

#include "analysis/compare/match.h"
#include "analysis/compare/setup.h"
#include "document/statistics.h"

namespace normbench {

/// How a case changed from BASE to NEW, the worst first.
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
  None,           // there is a verdict
  Ended,          // the case was skipped or failed on a side
  NotMeasured,    // no pair of runs measured the case
  ClocksDiffer,   // the device clock decides, and only one side has device times
  NoTime,         // a run has only times of 0
  TooFewRuns,     // too few pairs of runs for an interval
  TooFewRounds,   // too few rounds for an interval
  LimitsChanged,  // a change of the limits may explain the change of the case
  Preempted,      // the slower side lost the processor more often than its longer time explains
  AboveLimit      // in most runs of a side the case is faster than its limit
};

/// How a case ended in the runs of a side: Failed if it failed in any run, else Ok if any run
/// measured it, else Skipped.
struct Ending {
  Status status = Status::Skipped;
  std::string reason;  // the reason in the first run that ended this way
  // Number of runs that ended this way (`such`), and of runs that have the case (`all`).
  int such = 0, all = 0;

  bool operator==(const Ending&) const = default;
};
Ending ending_of(const std::vector<CaseRun>& runs);

/// Returns the case's result in the first run that measured it. If no run measured it, returns a
/// failed result, or the first result if none failed. At least one run must have the case.
const CaseResult& shown_case(const std::vector<CaseRun>& runs);

/// The peer (an external program) and the kernels that run a case. `peer` is the version that the
/// peer reports, or else its name; "" without a peer. `stages` has the op and the kernel of each
/// stage.
struct RunBy {
  std::string peer;
  std::vector<std::pair<std::string, std::string>> stages;

  bool operator==(const RunBy&) const = default;
};

/// A property of a case, such as its number of threads, that differs between BASE and NEW. Times
/// are not among these properties.
struct CaseFinding {
  enum class Kind { LinkBytes, Bytes, MaxError, Kernels, Faults, Threads, Status };
  using Value = std::variant<std::int64_t, double, RunBy, Status>;
  Kind kind;
  Value base, now;
  double bound = 0;    // for MaxError: largest error that passes the check
  Ending ending = {};  // for Status: how the side without a measurement ended

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

/// Returns the findings of a case:
/// - bytes over the link, bytes moved, kernels and threads if they differ;
/// - the output error if it more than doubled and exceeds 1 % of its bound;
/// - page faults if they differ by more than 10 % and by at least one per iteration;
/// - the status if it differs.
std::vector<CaseFinding> case_findings(const MatchedCase& matched);

struct ComparedCase {
  CaseName name;
  Change change = Change::NotCompared;
  // Failed is certain. Improved and Same are certain if pairs of runs were compared. Regressed is
  // certain if pairs of runs were compared and `p_value` is at most 2 %. No other verdict is
  // certain.
  bool certain = false;
  std::optional<double> base_ns, now_ns;  // median per iteration on the deciding clock
  std::optional<Interval> ratio;          // new time over base time, with its 95 % interval
  // `ratio` divided by the change of the limits. If this is set, it decides instead of `ratio`.
  std::optional<Interval> over_limits;
  std::optional<double> visible;  // smallest relative change that would have been found
  std::optional<double> drift;    // largest relative change of the case's limits
  // One-sided p-value. The null hypothesis is that the case is slower by at most the margin. If the
  // limits changed, the null hypothesis also allows a larger change that they may explain. With
  // pairs of runs, the p-value is adjusted for all cases that may have regressed (family_p_values).
  double p_value = 1;
  int replicates = 0;               // number of pairs of runs, or of rounds on the side with fewer
  NoVerdict why = NoVerdict::None;  // why there is no verdict, or why the case failed
  // How the case ended on the side without a measurement; only for NoVerdict::Ended.
  Ending ending;
  std::vector<CaseFinding> findings;

  /// Returns the interval that decides. The case must have a ratio.
  const Interval& deciding() const { return over_limits ? *over_limits : *ratio; }
  bool fails_gate() const {
    return certain && (change == Change::Failed || change == Change::Regressed);
  }
};

struct ComparedSide {
  std::size_t runs = 0;
  Json tool = Json::object();         // of the first run
  Json environment = Json::object();  // of the first run
};

struct Comparison {
  std::string name;  // name of the config
  DecidingClock clock = DecidingClock::Wall;
  ComparedSide base, now;
  int pairs = 0;           // number of runs of BASE that have a partner in NEW
  bool run_pairs = false;  // true: pairs of runs are compared; false: rounds
  // Both sides are built alike (built_alike), so their limits run the same code.
  bool same_limits = false;
  Margin margin;
  std::vector<SetupDifference> differences;
  std::vector<Caution> cautions;
  std::vector<ComparedCase> cases;  // the worst case first
  std::vector<CaseName> base_only, new_only;
};

/// Compares the runs of two sides. Neither side may be empty. Run i of `base` is the partner of run
/// i of `now`. If `margin` is given, it replaces margin_of().
Comparison compare(const std::vector<Results>& base, const std::vector<Results>& now,
                   std::optional<double> margin);

/// The result of a whole comparison, for a gate in continuous integration.
enum class Gate { Passed, Regressed, Undecided };
constexpr auto words(Gate) {
  return std::to_array<Word<Gate>>(
      {{Gate::Passed, "passed"}, {Gate::Regressed, "regressed"}, {Gate::Undecided, "undecided"}});
}

/// Returns the first of these that applies:
/// - Regressed: a case failed or certainly regressed.
/// - Undecided: a case that BASE measured has no certain verdict, NEW lacks a case of BASE, or no
///   case has a certain verdict.
/// - Passed: in all other cases.
Gate gate(const Comparison& comparison);

/// Returns true if both sides share a case and none of `differences` forbids the comparison.
bool comparable(const Comparison& comparison);

/// Returns the number of cases with this change.
int count(const Comparison& comparison, Change change);

}  // namespace normbench
