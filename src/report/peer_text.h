/// What runs a case that normbench does not run itself.
#pragma once

#include <string>

#include "analysis/sweep.h"

namespace normbench {

/// What the case's peer calls itself ("torch 2.9.0"), else the config's name of it; "" without one.
std::string peer_text(const CaseResult& result);

/// "Peers: torch 2.9.0 · numpy 2.1.0", those that answered; "" for none.
std::string peers_line(const Experiment& experiment);

}  // namespace normbench
