/// Whether an interrupted run may be gone on with: config, binary and machine must be the same, or
/// one document would mix what cannot be compared.
#pragma once

#include <string>
#include <vector>

#include "app/job.h"
#include "core/json.h"

namespace normbench {

/// The first line of a run's journal: its job, the tool, what its binary holds, the environment.
Json journal_header(const Job& job, const Json& environment);

/// What is not as it was when the journal was begun: "the CPU: was AMD EPYC, is Intel Xeon" each.
/// Both are headers; empty when the run may be gone on with.
std::vector<std::string> differences(const Json& then, const Json& now);

}  // namespace normbench
