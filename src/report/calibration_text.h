/// Texts about a calibration, which measures pairs of variants whose true ratio is known.
#pragma once

#include "analysis/calibration.h"
#include "core/text.h"

namespace normbench {

/// Returns a calibration as text. A table has a row for each `PairKind` among `pairs`. Sentences
/// below it tell how often identical code was called different, how often 5 % more work was found,
/// and the smallest difference that one run can show on this machine.
std::string calibration_text(const Json& calibration, const std::vector<JudgedPair>& pairs,
                             const Screen& screen = {});

/// Returns one line that sums up the calibration of a results document. Returns "" if `calibration`
/// is not an object.
std::string calibration_line(const Json& calibration);

/// Returns which variant of a pair was not measured, and why. Returns "" if both variants were
/// measured.
std::string unmeasured_text(const MeasuredPair& pair);

}  // namespace normbench
