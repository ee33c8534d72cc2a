/// A turn of a case in this process, and how long turns are.
#pragma once

#include <limits>
#include <random>

#include "measure/engine.h"

namespace normbench {

/// What a turn, and the warm-up in front of it, take at least.
inline constexpr double turn_floor_ns = 1e6;
/// A device that was idle needs longer to warm up; one that worked within `device_idle_ns` takes
/// one iteration.
inline constexpr double device_warm_up_ns = 20e6;
inline constexpr double device_idle_ns = 1e6;

/// Calls `measure` a few times, until 20 ms after `start_ns`, and returns the least of `first` and
/// what it gave: the time when nothing else takes the processor. Contenders with the same code must
/// get turns of the same length, or interruptions weigh on them differently.
double quiet_ns(Clock& clock, std::int64_t start_ns, double first,
                const std::function<double()>& measure);

/// The time of an iteration among as many as make a turn; `burst_ns` runs some and returns the time
/// of all.
double iteration_in_burst_ns(Clock& clock,
                             const std::function<double(std::int64_t iterations)>& burst_ns);

/// One when an iteration takes a turn's time or more, else as many as take that and 1000 readings
/// of the clock.
std::int64_t iterations_per_turn(double iteration_ns, double clock_cost_ns);

/// The fewest iterations of a loader's turn: an epoch, so that turns of all variants load all
/// images and workers can be ahead, but no more than 16 items or 3 s of a long one. Other cases
/// have one.
std::int64_t iterations_of_an_epoch(const Case& planned, double iteration_ns);

/// Nanoseconds of one reading of the clock.
double clock_cost_ns(Clock& clock);

/// How a contender's turns run, decided before the first round.
struct TurnShape {
  std::int64_t iterations = 1;
  // No more than that: what is loaded cold is loaded once.
  std::int64_t most_iterations = std::numeric_limits<std::int64_t>::max();
  bool marks = false;                  // each stage is timed and has a range; there are no graphs
  std::int64_t warmup_ns = 1'000'000;  // at least, and 20 ms on a device; 0: no warm-up
  bool looked_at = false;              // its last outputs may be checked: they are kept
  bool device_awake = false;           // it worked just now: one iteration warms it up
  std::int64_t bracket_ns = 0;  // that a device's marks count with nothing between; 0: unknown
};

/// Warms up and decides. One iteration when it takes 1 ms or more, else as many as take 1 ms and
/// 1000 readings of the clock; loaders as iterations_of_an_epoch() says. Marks only when they cost
/// less than 0.5 % of an iteration, and never within a graph. A pipeline
/// has as many items as it says; without a device they always have marks.
TurnShape shape_of_turns(Engine& engine, double clock_cost_ns);

/// The further times of a pipeline's turn: from its start to the first item's end, from the last
/// item's start to the turn's end, of each item, and of each lane (none without marks).
struct FlowTimes {
  std::int64_t fill_ns = 0, drain_ns = 0;
  std::vector<std::int64_t> latency_ns = {};
  std::vector<LaneTimes> lanes = {};
};

struct Turn {
  Round round;  // start_ns on the clock itself
  // The time of each stage (on a device that of its work), and the host's time in its calls; both
  // are empty without marks.
  std::vector<std::int64_t> stage_ns, calls_ns;
  std::optional<FlowTimes> flow = {};  // of a pipeline
};

/// A fresh placement, the warm-up and the capture of graphs, untimed; then the iterations from
/// first submit to drained. `look`, where it is something, is called in the last iteration when its
/// outputs are there and before they are freed, and counts for nothing.
Turn take_turn(Engine& engine, const TurnShape& shape, std::mt19937_64& random,
               const std::function<void(Item&)>& look = {});

/// Runs at least one iteration and 1 ms, or 20 ms on a device, each waited for and without graphs.
/// Returns the time of an iteration.
double warm_up(Engine& engine);

}  // namespace normbench
