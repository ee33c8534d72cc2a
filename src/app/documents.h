/// Results documents as arguments of subcommands: files, folders of runs, folders of several.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/issue.h"
#include "document/results.h"

namespace normbench {

/// The files that `path` means: a file, the results.json of a run's folder, or those of all runs in
/// a folder and loose documents there, by name. A path without any is added to `mistakes`.
std::vector<std::string> document_files(const std::string& path, std::vector<BadInput>& mistakes);

/// Reads the documents. All that cannot be read are added to `mistakes`, and are not returned.
std::vector<Results> read_documents(std::span<const std::string> files,
                                    std::vector<BadInput>& mistakes);

}  // namespace normbench
