/// The findings of a calibration, for people.
#pragma once

#include "analysis/calibration.h"
#include "core/text.h"

namespace normbench {

/// Returns a table with a row for each kind of pair, and sentences on what the findings mean for
/// runs on this machine.
std::string calibration_text(const Json& calibration, const std::vector<JudgedPair>& pairs,
                             const Screen& screen = {});

/// Returns a line for documents that hold a calibration; "" without one.
std::string calibration_line(const Json& calibration);

/// Returns which variant of a pair was not measured, and why; "" if both were measured.
std::string unmeasured_text(const MeasuredPair& pair);

}  // namespace normbench
