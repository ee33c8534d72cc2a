/// The turns of a case in this process.
#pragma once

#include "measure/turn_taker.h"

namespace normbench {

/// Runs one iteration on poisoned buffers and returns its time; fresh buffers are poisoned only
/// where that is no part of what is timed.
std::int64_t poisoned_iteration(Contender& contender, std::byte poison, bool poison_fresh,
                                Clock& clock);

class CaseTurns final : public TurnTaker {
 public:
  /// Throws std::runtime_error when a kind of memory is not there.
  CaseTurns(const Case& work, GroupMemory& memory, const Backends& backends, Recorder& recorder,
            Clock& clock, std::mt19937_64& random);

  std::int64_t first_call() override;
  void last_call() override;
  CheckOutcome check() override;
  TurnShape shape_of_turns(double clock_cost_ns) override;
  Turn take_turn(const TurnShape& shape, std::mt19937_64& random) override;

 private:
  const Backends& backends_;
  Clock& clock_;
  Contender contender_;
};

}  // namespace normbench
