/// The claims of a config held against the pairs, and what must be said beside them.
#pragma once

#include "analysis/pairs.h"
#include "analysis/why/factors.h"

namespace normbench {

struct GroupAnalysis;

/// What was counted of a change that makes a case slower by where it writes.
struct FaultsAdded {
  std::int64_t buffers = 0;     // more fresh ones
  double faults = 0;            // more page faults
  std::optional<double> share;  // of what it makes the case slower …
  bool at_most = false;         // … or less: see FaultCost
};

/// Some of the factors, and two cases that differ in just these.
struct Contribution {
  std::vector<Factor> factors;
  Pair pair;  // time with the change over time without
  std::optional<FaultsAdded> added;
};

/// What a comparison of two cases leaves open when more than one thing changed between them.
struct Caveat {
  std::vector<Factor> factors;  // from the faster to the slower: what costs time is above 1
  // Where another measured case has one of them and not the others.
  std::vector<Contribution> parts;
};

/// Nothing for one change or none.
std::optional<Caveat> caveat(const GroupResult& group, const GroupAnalysis& analysis, int a, int b,
                             const Results& results);

/// A claim held against the pair of its two sides.
struct Judgement {
  /// DirectionOnly: the side that was claimed to be faster is, but not by as much, or by more.
  /// NotJudged at this point: the claim is about another or about several, or the run was traced.
  /// Interrupted: a trend of which the run, had it gone on, would have had more points.
  enum class Outcome {
    Confirmed,
    DirectionOnly,
    Contradicted,
    Inconclusive,
    NotRun,
    Interrupted,
    NotJudged
  };
  Outcome outcome = Outcome::NotRun;
  std::optional<Pair> pair;      // left over right
  std::optional<Interval> size;  // of a claim with a ratio: the same ratio here
  std::optional<Caveat> caveat;
};

/// Holds the interval of a ratio against what was claimed: Confirmed inside of it, DirectionOnly
/// outside, else Inconclusive. A single number is taken as what lies within 10 % of it, above 1.
Judgement::Outcome held_against(const Interval& size, const ClaimedRatio& claimed);

/// The side that is claimed to be slower over the faster one; with what two processes may add.
Interval claimed_ratio(const Pair& pair, Relation relation);

/// One for each of the group's claims, in order.
std::vector<Judgement> judge_claims(const GroupResult& group, const GroupAnalysis& analysis,
                                    const Results& results);

}  // namespace normbench
