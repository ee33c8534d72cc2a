/// The claims of a config judged by the pairs, and what must be said with them.
#pragma once

#include "analysis/pairs.h"
#include "analysis/why/factors.h"

namespace normbench {

struct GroupAnalysis;

/// The faults that a change of where a case writes adds to it.
struct FaultsAdded {
  std::int64_t buffers = 0;     // more fresh ones
  double faults = 0;            // more page faults
  std::optional<double> share;  // of the time that it adds …
  bool at_most = false;         // … or less: see FaultCost
};

/// Some of the factors, with two cases that differ only in these.
struct Contribution {
  std::vector<Factor> factors;
  Pair pair;  // time with the change over time without
  std::optional<FaultsAdded> added;
};

/// What a comparison leaves open when more than one thing differs between two cases.
struct Caveat {
  std::vector<Factor> factors;  // from the faster to the slower: factors that cost time exceed 1
  // For factors that another measured case has without the others.
  std::vector<Contribution> parts;
};

/// The caveat of comparing a with b; nothing if one thing or none differs.
std::optional<Caveat> caveat(const GroupResult& group, const GroupAnalysis& analysis, int a, int b,
                             const Results& results);

/// A claim, judged by the pair of its two sides.
struct Judgement {
  /// DirectionOnly: the side claimed to be faster is, but by less or by more. NotJudged: the claim
  /// is about another point or about several, or the run was traced. Interrupted: the trend would
  /// have had more points if the run had gone on.
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
  std::optional<Interval> size;  // for a claim with a ratio: the same ratio here
  std::optional<Caveat> caveat;
};

/// Compares a ratio's interval with the claim: Confirmed inside of it, DirectionOnly outside, else
/// Inconclusive. A single number stands for all within 10 % of it, above 1.
Judgement::Outcome held_against(const Interval& size, const ClaimedRatio& claimed);

/// The side claimed to be slower over the faster one, widened by the effect of two processes.
Interval claimed_ratio(const Pair& pair, Relation relation);

/// A judgement for each of the group's claims, in order.
std::vector<Judgement> judge_claims(const GroupResult& group, const GroupAnalysis& analysis,
                                    const Results& results);

}  // namespace normbench
