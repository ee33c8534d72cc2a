/// The documents that a path on the command line stands for.
#pragma once

#include <string>
#include <vector>

#include "core/issue.h"
#include "document/results.h"

namespace normbench {

/// Reads a results.json, the one in a run's folder, or those of all runs in a folder, by name. What
/// cannot be read is added to `mistakes`, all of it, and is missing in the result.
std::vector<Results> read_documents(const std::string& path, std::vector<BadInput>& mistakes);

}  // namespace normbench
