/// Compares every measured case of a group with every other one.
#pragma once

#include "document/results.h"
#include "document/statistics.h"
#include "plan/alike.h"

namespace normbench {

struct Pair {
  int a = 0, b = 0;
  Interval ratio;          // a's time over b's; its level is corrected for all pairs (Bonferroni)
  bool different = false;  // the difference is certain and exceeds margin_of()
  int rounds = 0;          // rounds that both cases have and in which neither was held up
  bool covered = false;    // there are enough rounds for the interval of `ratio`
  double process_effect = 0;  // kProcessEffect if a peer ran one of the cases; else 0
};

/// Times of identical code may differ by this share between two processes, even if all rounds of
/// each process agree, because they depend on where memory lies and on which CPU runs. The measured
/// differences between this process and `normbench peer` rarely exceeded it.
constexpr double kProcessEffect = 0.05;

/// Returns the relative difference that the pair must exceed to count as different.
double margin_of(const Pair& pair, double precision);

/// Returns all pairs of measured cases that may be compared (is_comparable). With k cases, the
/// intervals are at level 1 - 0.05/(k(k-1)/2). A pair is different if its interval lies outside 1 ±
/// margin_of().
std::vector<Pair> compare_pairs(const GroupResult& group, const Results& results);

/// Returns the pair of cases `a` and `b`. If it is stored as (b, a), it is inverted, so that the
/// ratio is the time of `a` over that of `b`. Returns nothing if the cases were not compared.
std::optional<Pair> pair_of(const std::vector<Pair>& pairs, int a, int b);

/// Returns true if `a` is certainly faster than `b`.
inline bool faster(const Pair& pair) { return pair.different && pair.ratio.value < 1; }

/// Returns the largest relative difference that is not ruled out, as a fraction.
double widest_difference(const Pair& pair);

/// Returns the smallest relative difference that would count as different with this pair's rounds.
double visible_difference(const Pair& pair, double precision);

/// Returns true if the pair has enough rounds, is not different, and the half-width of its interval
/// is at most twice margin_of().
bool is_tie(const Pair& pair, double precision);

/// Returns the first two measured cases that must not be ranked against each other.
std::optional<Unlike> unlike_ends(const GroupResult& group);

}  // namespace normbench
