/// What ends a contender's part in a group without being its failure.
#pragma once

#include <stdexcept>

namespace normbench {

/// It cannot run here, through no fault of its own: it is skipped for this reason.
struct CannotRunHere : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The run was interrupted in the middle of it.
struct CutShort : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace normbench
