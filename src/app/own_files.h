/// Checks where commands may write: not over their inputs, and not over files of other programs.
#pragma once

#include <span>
#include <string>

#include "report/mark.h"

namespace normbench {

/// Returns why a file of this kind must not be written to `path`, like "is there, and normbench did
/// not write it". Returns "" if nothing is there, or an empty file, or an older file of this kind.
std::string why_not_over(const std::string& path, Written kind);

/// Checks that a file of this kind may be written to `path`, the value of `option`; "" is stdout.
/// Throws Invalid if `path` is a link, is one of `inputs` under any name, or must not be written
/// over (why_not_over). Throws CannotWrite if something other than a file is at `path`.
void check_output(const std::string& option, const std::string& path,
                  std::span<const std::string> inputs, Written kind = Written::Derived);

}  // namespace normbench
