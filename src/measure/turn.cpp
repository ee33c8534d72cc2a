#include "measure/turn.h"

#include <algorithm>
#include <cmath>

namespace normbench {

namespace {

constexpr double floor_ns = 1e6;
constexpr double floor_clock_costs = 1000;
constexpr double marks_share = 0.005;
constexpr int calibrations = 8;
constexpr double calibrations_ns = 20e6;

/// The time of an iteration when nothing else takes the processor: contenders with the same code
/// must get turns of the same length, or interruptions weigh on them differently.
double quiet_iteration_ns(Contender& contender, Clock& clock) {
  const std::int64_t start_ns = clock.now_ns();
  double least = warm_up(contender, clock);
  for (int i = 0; i < calibrations; ++i) {
    if (static_cast<double>(clock.now_ns() - start_ns) > calibrations_ns) break;
    least = std::min(least, warm_up(contender, clock));
  }
  return least;
}

}  // namespace

double clock_cost_ns(Clock& clock) {
  constexpr int readings = 100;
  double least = 0;
  for (int batch = 0; batch < 5; ++batch) {
    const std::int64_t start_ns = clock.now_ns();
    for (int i = 1; i < readings; ++i) clock.now_ns();
    const double cost = static_cast<double>(clock.now_ns() - start_ns) / readings;
    least = batch == 0 ? cost : std::min(least, cost);
  }
  return least;
}

double warm_up(Contender& contender, Clock& clock) {
  const Range range(nullptr, RangeKind::Warmup, "warmup");
  const std::int64_t start_ns = clock.now_ns();
  std::int64_t iterations = 0, spent_ns = 0;
  do {
    contender.advance();
    contender.run({});
    contender.drain();
    ++iterations;
    spent_ns = clock.now_ns() - start_ns;
  } while (static_cast<double>(spent_ns) < floor_ns);
  return static_cast<double>(spent_ns) / static_cast<double>(iterations);
}

TurnShape shape_of_turns(Contender& contender, Clock& clock, double clock_cost_ns) {
  const double iteration_ns = quiet_iteration_ns(contender, clock);
  const double enough_ns = std::max(floor_ns, floor_clock_costs * clock_cost_ns);
  const auto stages = static_cast<double>(contender.work().stages.size());
  return {.iterations = iteration_ns >= floor_ns
                            ? 1
                            : static_cast<std::int64_t>(std::ceil(enough_ns / iteration_ns)),
          .marks = 2 * stages * clock_cost_ns < marks_share * iteration_ns};
}

Turn take_turn(Contender& contender, const TurnShape& shape, Clock& clock,
               std::mt19937_64& random) {
  contender.place(random);
  warm_up(contender, clock);

  Turn turn;
  IterationOptions options;
  if (shape.marks) {
    turn.stage_ns.resize(contender.work().stages.size());
    options = {.ranges = true, .clock = &clock, .stage_ns = &turn.stage_ns};
  }
  const Counters counters = clock.counters();
  const std::int64_t cpu_ns = clock.cpu_ns();
  turn.round.start_ns = clock.now_ns();
  for (std::int64_t i = 0; i < shape.iterations; ++i) {
    contender.advance();
    contender.run(options);
  }
  contender.drain();
  turn.round.wall_ns = clock.now_ns() - turn.round.start_ns;
  turn.round.cpu_ns = clock.cpu_ns() - cpu_ns;
  turn.round.counters = clock.counters() - counters;
  return turn;
}

}  // namespace normbench
