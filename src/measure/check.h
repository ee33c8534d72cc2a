/// Holds an output to the double reference of the chain that made it.
#pragma once

#include <optional>
#include <string>

#include "document/results.h"
#include "plan/plan.h"

namespace normbench {

struct CheckOutcome {
  CheckResult result;
  std::string reason;  // when not ok: "wrong output: max error 3.1 at [0, 2, 17, 5], bound …"
  std::string note;    // why nothing was compared, or ""
};

/// Runs the references of the case's stages on `source` (absent when the case loads) in slabs of
/// images and compares `output` with the last. The bound composes the stages' error bounds. Needs
/// memory for one slab: 8 million doubles, or one image when it is larger. What host
/// code may not read in place is copied slab by slab.
CheckOutcome check_output(const Case& work, const std::optional<View>& source, const View& output,
                          const Backends& backends);

}  // namespace normbench
