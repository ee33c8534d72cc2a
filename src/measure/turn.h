/// Runs turns of a case in this process, and decides how long turns are.
#pragma once

#include <limits>
#include <random>

#include "measure/engine.h"

namespace normbench {

/// The least time of a turn, in ns: shorter iterations are repeated. Only the turn of a pipeline
/// may be shorter.
inline constexpr double turn_floor_ns = 1e6;
/// The least warm-up of a device that was idle, in ns. A device that worked within the last
/// `device_idle_ns` is warmed up by one iteration.
inline constexpr double device_warm_up_ns = 20e6;
inline constexpr double device_idle_ns = 1e6;

/// Returns the least of `first` and the results of up to 8 calls of `measure`, none of which begins
/// later than 20 ms after `start_ns`. The least time was interrupted least, so contenders with the
/// same code get about the same time, and turns of the same length.
double quiet_ns(Clock& clock, std::int64_t start_ns, double first,
                const std::function<double()>& measure);

/// Returns the time of one iteration within a burst that is as long as a turn, in ns. `burst_ns`
/// runs the given number of iterations and returns their time.
double iteration_in_burst_ns(Clock& clock,
                             const std::function<double(std::int64_t iterations)>& burst_ns);

/// Returns 1 if an iteration takes turn_floor_ns or more. Otherwise returns how many iterations
/// take at least that time and the time of 1000 readings of the clock.
std::int64_t iterations_per_turn(double iteration_ns, double clock_cost_ns);

/// Returns the least number of iterations of a turn: 1 for a case that loads no files. For a case
/// that loads files, the number in an epoch (all images once), but at most 16, and at most as many
/// as take 3 s. In a whole epoch every variant loads the same images, and a library's workers can
/// load ahead.
std::int64_t iterations_of_an_epoch(const Case& planned, double iteration_ns);

/// Returns how long one reading of the clock takes, in ns.
double clock_cost_ns(Clock& clock);

/// How a contender's turns run. This is decided before the first round.
struct TurnShape {
  std::int64_t iterations = 1;
  std::int64_t first = 0;  // the number of the first item: a loader reads its files from there on
  // The limit for `iterations`: with cold files, no image may be read twice in a turn.
  std::int64_t most_iterations = std::numeric_limits<std::int64_t>::max();
  bool marks = false;                  // each stage is timed and has a range; graphs are not used
  std::int64_t warmup_ns = 1'000'000;  // least warm-up; on an idle device 20 ms or more; 0: none
  // The estimated times of an iteration, and of what a turn takes beside its iterations: the
  // warm-up, the drop of cold files, and the wait for an idle peer.
  double iteration_ns = 0, beside_ns = 0;
  bool looked_at = false;              // keeps the last outputs, for a check after the turn
  bool device_awake = false;           // the device worked just now, so one iteration warms it up
  std::int64_t bracket_ns = 0;         // device time between two marks without work; 0: unknown
};

/// Warms up and decides how turns run.
/// Without a pipeline, a turn has iterations_per_turn() iterations or iterations_of_an_epoch(),
/// whichever is more, within the limit for cold files. It has marks if they cost less than 0.5 % of
/// an iteration and the case has no graphs.
/// A pipeline's turn has as many items as the config says. It has marks if they cost less than 0.5
/// % of an item; without a device it always has them.
/// Also estimates the time of such a turn: from one run of an iteration, from several items of a
/// loader on the CPU, or from as many items of a pipeline as may be in flight.
TurnShape shape_of_turns(Engine& engine, double clock_cost_ns);

/// Further times of a pipeline's turn. `fill_ns` is from the turn's start to the first end of an
/// item, `drain_ns` from the last start of an item to the turn's end. `latency_ns` is by item,
/// `lanes` by lane (empty without marks).
struct FlowTimes {
  std::int64_t fill_ns = 0, drain_ns = 0;
  std::vector<std::int64_t> latency_ns = {};
  std::vector<LaneTimes> lanes = {};
};

struct Turn {
  Round round;  // its start_ns is a reading of the clock
  // By stage: the time of its work, and the host's time in its calls. Both are empty without marks.
  std::vector<std::int64_t> stage_ns, calls_ns;
  std::optional<FlowTimes> flow = {};  // set only for a pipeline
};

/// Places buffers anew, warms up and captures graphs, all untimed. Then times the iterations from
/// the first submission until all work is done. In the last iteration, calls `look` (unless it is
/// empty) when all outputs exist and none is freed. The turn's time does not contain this call.
Turn take_turn(Engine& engine, const TurnShape& shape, std::mt19937_64& random,
               const std::function<void(Item&)>& look = {});

/// Runs at least one iteration, and for at least 1 ms, or 20 ms on a device. Waits for each
/// iteration, and uses no graphs. Returns the mean time of an iteration in ns.
double warm_up(Engine& engine);

}  // namespace normbench
