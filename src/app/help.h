/// The text that --help prints.
#pragma once

#include <string>

#include "app/commands.h"

namespace normbench {

/// The help of normbench itself: subcommands and exit codes.
std::string help_text();
/// The help of a subcommand: its places, options, an example, and further explanations.
std::string help_text(const Command& command);

}  // namespace normbench
