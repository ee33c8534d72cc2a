/// The text that --help prints.
#pragma once

#include <string>

#include "app/commands.h"

namespace normbench {

/// Returns the help of normbench itself: subcommands and exit codes.
std::string help_text();
/// Returns the help of a subcommand: positional arguments, options, an example, and explanations.
std::string help_text(const Command& command);

}  // namespace normbench
