/// Results documents as arguments of subcommands: a file, a run's folder, or a folder of several
/// runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/issue.h"
#include "document/results.h"

namespace normbench {

/// Returns the paths of the documents at `path`, sorted by name: a file itself, the results.json in
/// the folder of a run, or all documents in a folder of runs. Adds a mistake to `mistakes` for each
/// unfinished run, and for a folder without documents.
std::vector<std::string> document_files(const std::string& path, std::vector<BadInput>& mistakes);

/// Reads the documents. A document that cannot be read is added to `mistakes` and left out.
std::vector<Results> read_documents(std::span<const std::string> files,
                                    std::vector<BadInput>& mistakes);

}  // namespace normbench
