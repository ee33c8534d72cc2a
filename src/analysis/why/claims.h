/// Judges the claims of a config by the measured pairs. Also tells in which factors the cases of a
/// claim differ.
#pragma once

#include "analysis/pairs.h"
#include "analysis/why/factors.h"

namespace normbench {

struct GroupAnalysis;

/// How many more page faults a case has than another case that differs only in where outputs are
/// written.
struct FaultsAdded {
  std::int64_t buffers = 0;     // number of additional fresh outputs
  double faults = 0;            // number of additional page faults per iteration
  std::optional<double> share;  // share of the additional time that these faults take
  bool at_most = false;         // `share` is an upper bound (see FaultCost::at_most)
};

/// The effect of some of the factors in which two cases differ. `pair` compares two cases that
/// differ only in these factors.
struct Contribution {
  std::vector<Factor> factors;
  Pair pair;  // `a` has the changed factors, `b` does not
  std::optional<FaultsAdded> added;
};

/// What a comparison leaves open if several factors differ between two cases.
struct Caveat {
  std::vector<Factor> factors;  // how the slower case differs from the faster one
  // The effects of the factors in two steps, one of which changes a single factor. Empty if no
  // measured case lies between the two cases, that is, if none has only some of these differences.
  std::vector<Contribution> parts;
};

/// Returns the caveat of comparing `a` with `b`; nothing if fewer than two factors differ.
std::optional<Caveat> caveat(const GroupResult& group, const GroupAnalysis& analysis, int a, int b,
                             const Results& results);

/// The judgement of a claim by the pair of its two sides.
struct Judgement {
  /// What the measurements say about a claim:
  /// - Confirmed, Contradicted: the intervals certainly agree or disagree with it.
  /// - Inconclusive: the intervals are too wide to tell.
  /// - DirectionOnly: the side claimed to be faster is faster, but not by the claimed ratio.
  /// - Failed: a side failed.
  /// - NotRun: a side was not measured, but none failed.
  /// - Interrupted: the run was interrupted before a trend had two points.
  /// - NotJudged: the claim is about another point or about a trend, or the run was traced.
  enum class Outcome {
    Confirmed,
    DirectionOnly,
    Contradicted,
    Inconclusive,
    Failed,
    NotRun,
    Interrupted,
    NotJudged
  };
  Outcome outcome = Outcome::NotRun;
  std::optional<Pair> pair;  // the claim's left side is `a`, its right side `b`
  // Only for a claim with a ratio: the measured ratio (claimed_ratio).
  std::optional<Interval> size;
  std::optional<Caveat> caveat;
};

/// Compares the interval of a measured ratio with a claim. Returns Confirmed if the interval lies
/// inside the claimed range, DirectionOnly if it lies outside, and Inconclusive otherwise. If a
/// single number is claimed, the range is this number +- 10 %, cut off below 1.
Judgement::Outcome held_against(const Interval& size, const ClaimedRatio& claimed);

/// Returns the measured ratio in the claim's direction: the time of the side claimed to be slower
/// over the time of the other side. Its interval is widened by Pair::process_effect.
Interval claimed_ratio(const Pair& pair, Relation relation);

/// Returns a judgement for each of the group's claims, in order.
std::vector<Judgement> judge_claims(const GroupResult& group, const GroupAnalysis& analysis,
                                    const Results& results);

}  // namespace normbench
