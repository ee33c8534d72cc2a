/// Compares every kernel row with the reference of its op; run by `normbench selftest`.
#pragma once

#include "measure/selftest/findings.h"

namespace normbench::selftest {

/// Tests all rows that `options` choose, except the CPU's references. Inputs have every dtype and
/// layout. There are tiny, odd and strided inputs, inputs that do not start at a cache line, inputs
/// of a million and of more than 2^31 elements, and values that are hard to round. Throws Invalid
/// if the glob matches no row.
Findings run(const Backends& backends, const Options& options);

}  // namespace normbench::selftest
