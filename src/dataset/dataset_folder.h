/// The folder of a dataset as a preparation finds it: empty, begun, finished, or in other use.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dataset/preparation_journal.h"

namespace normbench {

/// True where the preparation has begun in its folder and is not finished.
bool is_begun(const Preparation& preparation);

/// Everything that is wrong with a preparation, its folder included, before anything has begun.
std::vector<std::string> mistakes_before(const Preparation& preparation);

/// Throws where a finished dataset is not the one that is asked for: BadInput with all that
/// differs, std::runtime_error where files of either side have changed since.
void check_finished(const Preparation& preparation, const Manifest& manifest);

/// Starts a journal, or opens the one to go on with, and removes what killed processes left
/// half-written. Throws BadInput, Invalid, CannotWrite, and std::runtime_error where sources have
/// changed. Sources that could not be read may have: they were repaired.
PreparationJournal open_journal(const Preparation& preparation, std::span<const Output> outputs);

/// Reads the file. True if it is there as it was written.
bool is_whole(const Preparation& preparation, const FinishedFile& finished);

/// Throws std::runtime_error with the names of sources that have changed.
[[noreturn]] void throw_changed(const std::vector<std::string>& sources, const std::string& folder);

}  // namespace normbench
