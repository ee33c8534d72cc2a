/// Checks where commands may write: not over their inputs, and not over files of other programs.
#pragma once

#include <span>
#include <string>

#include "report/mark.h"

namespace normbench {

/// Returns why a file of this kind must not be written to `path`: "is there, and normbench did not
/// write it". Returns "" if nothing is there, or an empty file, or an older file of this kind.
std::string why_not_over(const std::string& path, Written kind);

/// Checks that the file of `option` may be written; "" is stdout. Throws Invalid for a link, for
/// one of `inputs` under any name, and where why_not_over() gives a reason. Throws CannotWrite if
/// something other than a file is at `path`.
void check_output(const std::string& option, const std::string& path,
                  std::span<const std::string> inputs, Written kind = Written::Derived);

}  // namespace normbench
