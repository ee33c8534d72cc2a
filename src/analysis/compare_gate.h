/// What fails a comparison, over all its cases together.
#pragma once

#include "analysis/compare.h"

namespace normbench {

enum class Gate { Passed, Regressed, Undecided };
constexpr auto words(Gate) {
  return std::to_array<Word<Gate>>(
      {{Gate::Passed, "passed"}, {Gate::Regressed, "regressed"}, {Gate::Undecided, "undecided"}});
}

/// Marks as certain the regressed cases that Holm's procedure rejects over all cases that could be
/// judged: beyond doubt, with at most 5 % false alarms of the whole comparison. Warns where there
/// are too few runs for that.
void decide(Comparison& comparison);

/// True when nothing forbids the comparison and some case is in both.
bool comparable(const Comparison& comparison);

/// Cases that ended so.
int count(const Comparison& comparison, Change change);

/// Regressed: a case failed, or is slower beyond doubt. Undecided: a case was inconclusive, may
/// have regressed, or could not be compared though BASE measured it.
Gate gate(const Comparison& comparison);

}  // namespace normbench
