/// All cases of one op.
#pragma once

#include <span>
#include <string>

#include "measure/selftest/row.h"

namespace normbench::selftest {

/// Runs the rows of an op on every case they accept. A row that throws is stopped; when nothing
/// runs in the place any more, all are.
void test_op(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick);

}  // namespace normbench::selftest
