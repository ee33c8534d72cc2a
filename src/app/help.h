/// What --help prints.
#pragma once

#include <string>

#include "app/commands.h"

namespace normbench {

/// Of normbench itself: its subcommands and exit codes.
std::string help_text();
/// Of one subcommand: its places, options, an example, and what else it explains.
std::string help_text(const Command& command);

}  // namespace normbench
