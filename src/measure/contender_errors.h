/// Exceptions that end a contender (a case that takes turns) although it has not failed.
#pragma once

#include <stdexcept>

namespace normbench {

/// Thrown when a contender cannot run on this machine. It is then skipped, not failed; what() is
/// the reason.
struct CannotRunHere : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown by a function of a contender when the run is interrupted during the call.
struct CutShort : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace normbench
