/// Compares every kernel row with the reference of its op; run by `normbench selftest`.
#pragma once

#include "measure/selftest/findings.h"

namespace normbench::selftest {

/// Runs all rows that `options` choose, except the CPU's references. Inputs have every dtype and
/// layout. They are tiny, odd, strided, off a cache line, of a million elements and of more than
/// 2^31, and some values are hard to round. Throws Invalid if the glob matches no row.
Findings run(const Backends& backends, const Options& options);

}  // namespace normbench::selftest
