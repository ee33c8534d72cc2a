/// What takes turns in a group: a case in this process, or one in a peer.
#pragma once

#include <cstdint>
#include <random>

#include "measure/check.h"
#include "measure/turn.h"

namespace normbench {

/// Abstract so that a group need not know where its contenders run. Calls throw std::runtime_error
/// for a failure, or one of turn_errors.h.
class TurnTaker {
 public:
  virtual ~TurnTaker() = default;
  /// One iteration, the first of all and without a warm-up. Returns its time.
  virtual std::int64_t first_call() = 0;
  /// Sees to it that the output of an iteration after the last turn is there.
  virtual void last_call() = 0;
  /// Holds the output of the first call, or of the last one, to the reference.
  virtual CheckOutcome check() = 0;
  /// Warms up and decides how its turns run.
  virtual TurnShape shape_of_turns(double clock_cost_ns) = 0;
  virtual Turn take_turn(const TurnShape& shape, std::mt19937_64& random) = 0;
};

}  // namespace normbench
