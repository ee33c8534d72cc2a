/// Two versions of the same measurements: what became slower, by how much, and how sure that is.
///
/// A side is the documents of its runs. With 6 paired runs a side or more, the run is the
/// replicate: the effect is the median over the pairs of ln(new time / base time), with its exact
/// interval. With fewer, the rounds are the replicates, and differences between runs stay unknown:
/// nothing is certain, and what the machine may have changed is undecided.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/findings.h"
#include "analysis/compare/setup.h"
#include "core/enums.h"
#include "core/json.h"
#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// What became of a case, the worst first.
enum class Change { Failed, Regressed, Inconclusive, NotCompared, Improved, Same };
constexpr auto words(Change) {
  return std::to_array<Word<Change>>({{Change::Failed, "failed"},
                                      {Change::Regressed, "regressed"},
                                      {Change::Inconclusive, "inconclusive"},
                                      {Change::NotCompared, "not_compared"},
                                      {Change::Improved, "improved"},
                                      {Change::Same, "same"}});
}

/// Why a case has no verdict of its times.
enum class NoVerdict {
  None,          // it has one
  Ended,         // skipped or failed on a side
  NotMeasured,   // in no pair of runs
  ClocksDiffer,  // device times on one side only
  NoTime,        // a round took none
  TooFewRuns,    // for an interval
  TooFewRounds,
  LimitsChanged,  // those of its group, by as much
  Preempted       // others had the processor in a typical turn of the slower side
};

struct ComparedCase {
  CaseName name;
  Change change = Change::NotCompared;
  bool certain = false;  // failed, or regressed beyond doubt over all runs and cases: this fails
                         // the gate
  std::optional<double> base_ns, now_ns;  // median per iteration on the clock that decides
  std::optional<Interval> ratio;          // new time over base time, at 95 %
  std::optional<double> visible;          // the smallest relative change that would have been seen
  std::optional<double> drift;            // largest relative change of its group's limits
  double p_value = 1;                     // one-sided, of "slower by no more than the margin"
  int replicates = 0;                     // pairs of runs, or rounds of the side that has fewer
  NoVerdict why = NoVerdict::None;        // why it failed, or is inconclusive whatever its interval
  Ending ending;                          // of the side that Ended
  std::vector<CaseFinding> findings;
};

struct ComparedSide {
  std::size_t runs = 0;
  Json tool = Json::object();         // of the first run
  Json environment = Json::object();  // of the first run
};

struct Comparison {
  std::string name;  // of the config
  DecidingClock clock = DecidingClock::Wall;
  ComparedSide base, now;
  int pairs = 0;           // runs of either side that have a partner
  bool run_pairs = false;  // the replicates are pairs of runs; else rounds
  Margin margin;
  std::vector<SetupDifference> differences;
  std::vector<Caution> cautions;
  std::vector<ComparedCase> cases;  // the worst first
  std::vector<CaseName> base_only, new_only;
};

/// Compares the runs of two sides, neither empty; run i of `base` is the partner of run i of `now`.
/// `margin` overrides the one found in the documents.
Comparison compare(const std::vector<Results>& base, const std::vector<Results>& now,
                   std::optional<double> margin);

/// What fails a comparison, over all its cases together.
enum class Gate { Passed, Regressed, Undecided };
constexpr auto words(Gate) {
  return std::to_array<Word<Gate>>(
      {{Gate::Passed, "passed"}, {Gate::Regressed, "regressed"}, {Gate::Undecided, "undecided"}});
}

/// Regressed: a case failed, or is slower beyond doubt. Undecided: a case was inconclusive, may
/// have regressed, or could not be compared though BASE measured it.
Gate gate(const Comparison& comparison);

/// True when nothing forbids the comparison and some case is in both.
bool comparable(const Comparison& comparison);

/// Cases that ended so.
int count(const Comparison& comparison, Change change);

}  // namespace normbench
