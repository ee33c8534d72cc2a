/// Values that are hard to round.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "measure/selftest/row.h"

namespace normbench::selftest {

/// Of a 16-bit dtype every `step`th bit pattern. As float32, for each of those of both dtypes: its
/// value, what lies halfway to the next one, and the floats on either side of that. So there are
/// NaN (with payloads that are cut off, too), infinities and subnormals.
std::vector<std::byte> hard_elements(DType dtype, int step);

/// Runs an op's rows where it changes no more than the dtype (cast; normalize, sub and div by 0 and
/// 1) on such values: they must be rounded to nearest even, with NaN kept. No other op has cases.
void test_rounding(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick);

}  // namespace normbench::selftest
