/// Recognises files that normbench wrote.
#pragma once

#include <optional>
#include <string_view>

namespace normbench {

/// What a file of normbench contains: measurements of some kind, or something that can be made from
/// measurements again (Derived). A list of results documents is a ResultsList, even with one
/// document.
enum class Written { Results, ResultsList, Journal, Trace, Calibration, Derived };

/// Returns the kind of a file with this beginning, in any format. A few kilobytes are enough.
/// Returns nothing if normbench did not write the file. Torch's table without a title is not
/// recognised, because PyTorch's own table is the same text.
std::optional<Written> written_as(std::string_view beginning);

}  // namespace normbench
