/// The folder that a run writes to.
#pragma once

#include <string>
#include <vector>

#include "measure/results.h"
#include "trace/chrome.h"

namespace normbench {

/// Creates `dir` for a new run; when it is empty, "results/NAME-20261120T235400Z". Throws Invalid
/// when it already holds a run, CannotWrite when it cannot be created.
std::string make_output_dir(const std::string& dir, const std::string& name);

/// Writes results.json, table.txt and, when the trace has lanes, trace.json. Returns the names
/// written; throws CannotWrite.
std::vector<std::string> write_outputs(const std::string& dir, const Results& results,
                                       const Trace& trace);

}  // namespace normbench
