/// Where commands may write: never over their inputs, nor over what normbench did not make.
#pragma once

#include <span>
#include <string>

#include "report/mark.h"

namespace normbench {

/// Why a file of this kind is not written to `path`: "is there, and normbench did not
/// write it". "" where nothing is there, or an empty file, or an older one of its
/// kind.
std::string why_not_over(const std::string& path, Written kind);

/// Checks that the file of `option` may be written; "" is stdout. Throws Invalid for one of
/// `inputs` under any name, for a link, which is not written through, and where why_not_over() says
/// why; CannotWrite for what is no file.
void check_output(const std::string& option, const std::string& path,
                  std::span<const std::string> inputs, Written kind = Written::Derived);

}  // namespace normbench
