/// The self-test compares every kernel row (an implementation of an op) with the reference of its
/// op. `normbench selftest` runs it.
#pragma once

#include "measure/selftest/findings.h"

namespace normbench::selftest {

/// Tests all kernel rows that `options` chooses, except the references on the CPU. Inputs have
/// every dtype and layout. Some inputs are tiny, odd or strided, or do not start at a cache line.
/// Others are large, with a million elements, or huge, with more than 2^31. Others have values that
/// are hard to round. Throws Invalid if `options.glob` matches no kernel row.
Findings run(const Backends& backends, const Options& options);

}  // namespace normbench::selftest
