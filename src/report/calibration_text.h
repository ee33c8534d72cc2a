/// The findings of a calibration, for people.
#pragma once

#include "analysis/calibration.h"
#include "core/text.h"

namespace normbench {

/// A row per kind of pair, and what it means for runs on this machine.
std::string calibration_text(const Json& calibration, const std::vector<JudgedPair>& pairs,
                             const Screen& screen = {});

/// A line for documents that hold a calibration; "" without one.
std::string calibration_line(const Json& calibration);

/// Which variant of a pair was not measured, and why; "" when both were.
std::string unmeasured_text(const MeasuredPair& pair);

}  // namespace normbench
