/// Every measured case compared with every other, and which of them is faster.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

struct Pair {
  int a = 0, b = 0;
  Interval ratio;  // time of a over time of b at the Bonferroni level
  bool different = false;
  int rounds = 0;             // rounds of both that others did not hold up
  bool covered = false;       // they suffice for an interval at that level
  double process_effect = 0;  // what identical code may differ by in two processes
};

/// How much a time may depend on its process, whatever the rounds agree on: by where its memory
/// lies, and on which CPU it runs. Identical code in `normbench peer` and here differed by up to
/// this, rarely by more when a case lay in the cache.
constexpr double kProcessEffect = 0.05;

/// What a difference of the pair must exceed to count.
double margin_of(const Pair& pair, double precision);

/// All pairs of measured cases that are comparable (is_comparable), at level 1 -
/// 0.05/(k(k-1)/2). Different: the interval clears 1 ± precision, or ± the effect of two processes.
std::vector<Pair> compare_pairs(const GroupResult& group, const Results& results);

/// Time of case a over time of case b, in whichever order the pair is stored; nothing when one of
/// them was not measured.
std::optional<Pair> pair_of(const std::vector<Pair>& pairs, int a, int b);

/// True when a is faster than b beyond doubt.
inline bool faster(const Pair& pair) { return pair.different && pair.ratio.value < 1; }

/// The largest difference that is not ruled out: 0.012 is 1.2 %.
double widest_difference(const Pair& pair);

/// The smallest difference that this pair's rounds would have shown.
double visible_difference(const Pair& pair, double precision);

/// True when the pair is not different, and its interval is narrow enough to say so.
bool is_tie(const Pair& pair, double precision);

/// Two measured cases with results of different dtype, layout, shape or place, which must not be
/// ranked against each other.
struct Unlike {
  int a = 0, b = 0;
};
std::optional<Unlike> unlike_ends(const GroupResult& group);

}  // namespace normbench
