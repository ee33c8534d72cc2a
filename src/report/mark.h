/// Recognises files that normbench wrote.
#pragma once

#include <optional>
#include <string_view>

namespace normbench {

/// What a file that normbench wrote contains. Derived: something that can be made again from the
/// measurements, like a table or a page. ResultsList: a list of results documents, even if it has
/// only one.
enum class Written { Results, ResultsList, Journal, Trace, Calibration, Derived };

/// Returns what a file with this beginning contains, in any format. Only the first 64 KiB of
/// `beginning` are read. Returns nothing if normbench did not write the file. A profiler table in
/// torch's format without a title is not recognised, because PyTorch writes the same text.
std::optional<Written> written_as(std::string_view beginning);

}  // namespace normbench
