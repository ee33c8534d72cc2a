/// One contender's part of a round.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "measure/contender.h"
#include "document/results.h"
#include "record/clock.h"

namespace normbench {

/// Nanoseconds of one reading of the clock.
double clock_cost_ns(Clock& clock);

/// How a contender's turns run, decided before the first round.
struct TurnShape {
  std::int64_t iterations = 1;
  bool marks = false;  // each stage is timed and has a range; there are no graphs
  std::int64_t warmup_ns = 1'000'000;  // at least, and 20 ms when a device works; 0: no warm-up
};

/// Warms up and decides. One iteration when it takes 1 ms or more, else as many as take 1 ms and
/// 1000 readings of the clock. Marks only when they cost less than 0.5 % of an iteration, and never
/// within a graph.
TurnShape shape_of_turns(Contender& contender, Clock& clock, double clock_cost_ns);

struct Turn {
  Round round;  // start_ns on the clock itself
  // Of each stage, empty without marks: its time (on a device that of its work), and the host's
  // time in its calls.
  std::vector<std::int64_t> stage_ns, calls_ns;
};

/// A fresh placement, the warm-up and the capture of graphs, untimed; then the iterations from first
/// submit to drained.
Turn take_turn(Contender& contender, const TurnShape& shape, Clock& clock, std::mt19937_64& random);

/// Runs at least one iteration and 1 ms, or 20 ms when a device works, each waited for and without
/// graphs. Returns the time of an iteration.
double warm_up(Contender& contender, Clock& clock);

}  // namespace normbench
