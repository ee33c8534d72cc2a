/// The findings of a calibration, for people.
#pragma once

#include "analysis/calibration.h"
#include "core/text.h"

namespace normbench {

/// Returns a calibration as text: a table of `pairs` with a row for each `PairKind`, then how often
/// identical code was called different, how often 5 % more work was found, and the smallest
/// difference that a run shows here.
std::string calibration_text(const Json& calibration, const std::vector<JudgedPair>& pairs,
                             const Screen& screen = {});

/// Returns one line that sums up the calibration in a results document; "" if `calibration` is not
/// an object.
std::string calibration_line(const Json& calibration);

/// Returns which variant of a pair was not measured, and why; "" if both were measured.
std::string unmeasured_text(const MeasuredPair& pair);

}  // namespace normbench
