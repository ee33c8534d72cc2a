/// Results documents as subcommands are given them: files, folders of runs, folders of several.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/issue.h"
#include "document/results.h"

namespace normbench {

/// What `path` stands for: a file, the results.json in a run's folder, or those of all runs in a
/// folder and the documents that lie loose in it, by name. What has none is added to `mistakes`.
std::vector<std::string> document_files(const std::string& path, std::vector<BadInput>& mistakes);

/// Reads them. What cannot be read is added to `mistakes`, all of it, and is missing in the result.
std::vector<Results> read_documents(std::span<const std::string> files,
                                    std::vector<BadInput>& mistakes);

}  // namespace normbench
