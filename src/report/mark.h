/// Recognises files that normbench wrote.
#pragma once

#include <optional>
#include <string_view>

namespace normbench {

/// The content of a file of normbench: measurements of some kind (a list of documents is no
/// document), or something that can be made from them again.
enum class Written { Results, ResultsList, Journal, Trace, Calibration, Derived };

/// The kind of a file with this beginning, in any format; nothing where normbench did not write it.
/// A few kilobytes are enough. Torch's table without a title is not recognised: it is PyTorch's to
/// the byte.
std::optional<Written> written_as(std::string_view beginning);

}  // namespace normbench
