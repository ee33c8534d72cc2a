/// The findings of the self-test as text and as JSON.
#pragma once

#include <string>

#include "core/json.h"
#include "core/text.h"
#include "measure/selftest/findings.h"

namespace normbench {

/// Returns a table with a row for each kernel, the failures in words, what was not tested, the
/// instruction sets that the CPU's kernels ran on, and a line for each place (CPU or GPU), like
/// "cpu: 34 rows, 5,120 cases, all right" or "cuda: skipped: no GPU (no CUDA device ...)".
std::string selftest_text(const selftest::Findings& findings, const Screen& screen = {});

Json selftest_json(const selftest::Findings& findings);

}  // namespace normbench
