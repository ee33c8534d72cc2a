/// Where commands may write: to nothing that is theirs to read, nor to what normbench did not make.
#pragma once

#include <span>
#include <string>

#include "report/mark.h"

namespace normbench {

/// Why a file of this kind is not written to `path`, where something else is: "is there, and
/// normbench did not write it"; "" where there is nothing, an empty file, or an older one of its
/// kind.
std::string why_not_over(const std::string& path, Written kind);

/// Holds the file that `option` names to be one that may be written. "" is stdout. Throws Invalid
/// for one of `inputs` under whatever name, for a link, which is not written through, and where
/// why_not_over() says why; CannotWrite for what is no file.
void check_output(const std::string& option, const std::string& path,
                  std::span<const std::string> inputs, Written kind = Written::Derived);

}  // namespace normbench
