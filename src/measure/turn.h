/// One contender's part of a round.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "measure/contender.h"
#include "measure/results.h"
#include "record/clock.h"

namespace normbench {

/// Nanoseconds of one reading of the clock.
double clock_cost_ns(Clock& clock);

/// How a contender's turns run, decided before the first round.
struct TurnShape {
  std::int64_t iterations = 1;
  bool marks = false;  // the clock is read around each stage, and each stage has a range
};

/// Warms up and decides. One iteration when it takes 1 ms or more, else as many as take 1 ms and
/// 1000 readings of the clock. Marks only when they cost less than 0.5 % of an iteration.
TurnShape shape_of_turns(Contender& contender, Clock& clock, double clock_cost_ns);

struct Turn {
  Round round;                         // start_ns on the clock itself
  std::vector<std::int64_t> stage_ns;  // empty without marks
};

/// A fresh placement and a warm-up of at least one iteration and 1 ms, untimed; then the iterations
/// from first submit to drained.
Turn take_turn(Contender& contender, const TurnShape& shape, Clock& clock, std::mt19937_64& random);

/// Runs at least one iteration and 1 ms, untimed by the caller. Returns the time of an iteration.
double warm_up(Contender& contender, Clock& clock);

}  // namespace normbench
