/// After how many reuses of a buffer page-locking it has paid for itself.
#pragma once

#include <optional>
#include <string>

#include "analysis/analysis.h"

namespace normbench {

/// What page-locking a buffer costs once, and what it saves on every batch after.
struct PinningCost {
  std::string verb;  // "pin" or "register"
  double once_ns =
      0;  // the stage's own time: allocating and copying, or registering and undoing it
  Interval saved_ns{};  // a batch, from pageable against page-locked memory
};

/// From a case that pins or registers on every batch, and from a pair of cases that do the same
/// from pageable and from page-locked memory; nothing where one of them was not measured.
std::optional<PinningCost> pinning_cost(const GroupResult& group, const Results& results);

/// "Pinning pays from 14 reuses of a buffer on (pin 18 ms, saves 1.3 ms a batch)." or that it does
/// not; "" where the group does not tell.
std::string pinning_line(const GroupResult& group, const Results& results);

}  // namespace normbench
