/// The folder of a dataset as a preparation finds it: empty, begun, finished, or something else's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dataset/preparation_journal.h"

namespace normbench {

/// Whether a preparation has begun there, and is not finished.
bool is_begun(const Preparation& preparation);

/// Everything that is wrong with a preparation, its folder included, before anything has begun.
std::vector<std::string> mistakes_before(const Preparation& preparation);

/// Throws where a finished dataset is not the one that is asked for: BadInput with all that
/// differs, std::runtime_error where files of either side have changed since.
void check_finished(const Preparation& preparation, const Manifest& manifest);

/// A new journal, or the one to go on with, after what killed processes left half-written was
/// removed. Throws BadInput, Invalid, CannotWrite, and std::runtime_error where sources have
/// changed, but for those that could not be read: they were repaired.
PreparationJournal open_journal(const Preparation& preparation, std::span<const Output> outputs);

/// Whether the file is there as it was written. Reads it.
bool is_whole(const Preparation& preparation, const FinishedFile& finished);

/// Throws std::runtime_error naming sources that are not what they were.
[[noreturn]] void throw_changed(const std::vector<std::string>& sources, const std::string& folder);

}  // namespace normbench
