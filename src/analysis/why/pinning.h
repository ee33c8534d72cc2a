/// After how many reuses of a buffer page-locking it has paid for itself.
#pragma once

#include <optional>

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// What page-locking a buffer costs once, and what it saves on every batch after.
struct PinningCost {
  bool registers = false;  // registering, else pinning
  double once_ns = 0;  // the stage's own time: allocating and copying, or registering and undoing
  Interval saved_ns{};     // a batch, from pageable against page-locked memory
};

/// From a case that pins or registers on every batch, and from a pair of cases that do the same
/// from pageable and from page-locked memory; nothing where one of them was not measured.
std::optional<PinningCost> pinning_cost(const GroupResult& group, const Results& results);

}  // namespace normbench
