/// Results documents as arguments of subcommands: a file, a run's folder, or a folder of several
/// runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/issue.h"
#include "document/results.h"

namespace normbench {

/// Returns the documents that `path` means, sorted by name: a file itself, the results.json of a
/// run's folder, or all documents in a folder of runs. Adds a mistake to `mistakes` for each
/// unfinished run, and if a folder has no documents.
std::vector<std::string> document_files(const std::string& path, std::vector<BadInput>& mistakes);

/// Reads the documents. A document that cannot be read is added to `mistakes` and left out.
std::vector<Results> read_documents(std::span<const std::string> files,
                                    std::vector<BadInput>& mistakes);

}  // namespace normbench
