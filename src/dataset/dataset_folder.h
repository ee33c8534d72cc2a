/// Checks a dataset's folder before a preparation starts or continues there. The folder may be
/// empty, may contain a begun or a finished dataset, or may contain other files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dataset/preparation_journal.h"

namespace normbench {

/// Returns true if the folder has the journal of a preparation that has begun.
bool is_begun(const Preparation& preparation);

/// Returns all mistakes of a preparation, including those of its folder. Writes nothing.
std::vector<std::string> mistakes_before(const Preparation& preparation);

/// Checks that a finished dataset is the requested one. Throws BadInput with all differences if it
/// is not. Throws std::runtime_error if a source or a file of the dataset is missing, or does not
/// have the size that the manifest gives.
void check_finished(const Preparation& preparation, const Manifest& manifest);

/// Starts a journal, or opens the existing one and removes unfinished files of killed processes.
/// - Throws CannotWrite if it cannot start a journal.
/// - Throws Invalid if the existing journal is damaged or in use.
/// - Throws BadInput if the existing journal belongs to another preparation, or if the folder also
///   has files that do not belong to this preparation.
/// - Throws std::runtime_error if a source that could be read before has changed. A source that
///   could not be read may have changed, because people repair such files.
PreparationJournal open_journal(const Preparation& preparation, std::span<const Output> outputs);

/// Reads the whole file `finished`. Returns true if it exists and has the recorded size and
/// checksum.
bool is_whole(const Preparation& preparation, const FinishedFile& finished);

/// Throws std::runtime_error with a text that names `sources`. These files have changed since the
/// preparation in `folder` began.
[[noreturn]] void throw_changed(const std::vector<std::string>& sources, const std::string& folder);

}  // namespace normbench
