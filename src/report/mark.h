/// How files that normbench wrote are known.
#pragma once

#include <optional>
#include <string_view>

namespace normbench {

/// What a file of normbench holds: measurements of some kind (several documents as a list are no
/// document), or what can be made of them again.
enum class Written { Results, ResultsList, Journal, Trace, Calibration, Derived };

/// What this beginning of a file is that of, in whatever format; nothing where normbench did not
/// write it. A few kilobytes are enough. Torch's table without a title has no mark: it is PyTorch's
/// to the byte.
std::optional<Written> written_as(std::string_view beginning);

}  // namespace normbench
