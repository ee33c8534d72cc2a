/// Every measured case against every other, and what follows for who is fastest.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace normbench {

/// All pairs of measured cases at level 1 - 0.05/(k(k-1)/2). Different: the interval clears
/// 1 ± precision.
std::vector<Pair> compare_pairs(const GroupResult& group, const Results& results);

/// Time of case a over time of case b, whichever way round the pair is stored; null when one of
/// them was not measured.
std::optional<Pair> pair_of(const std::vector<Pair>& pairs, int a, int b);

/// True when a is faster than b beyond doubt.
inline bool faster(const Pair& pair) { return pair.different && pair.ratio.value < 1; }

/// The largest difference that the interval does not rule out: 0.012 is 1.2 %.
double widest_difference(const Interval& ratio);

/// The smallest difference that this pair's rounds would have called one.
double visible_difference(const Pair& pair, double precision);

/// True when the pair is not different and narrow enough to say so.
bool is_tie(const Pair& pair, double precision);

/// Why the measured cases must not be ranked against each other ("A ends in …, B in …"), or "".
std::string unfair(const GroupResult& group);

}  // namespace normbench
