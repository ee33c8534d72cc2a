/// Decides how the turns of a case in this process run, and warms up before them. A turn is a timed
/// series of iterations.
#pragma once

#include <limits>
#include <random>

#include "measure/engine.h"

namespace normbench {

/// The least time of a turn in ns. If an iteration is shorter, a turn has enough iterations to take
/// this time. Only the turn of a pipeline may be shorter.
inline constexpr double turn_floor_ns = 1e6;
/// The least time for which an idle device is warmed up, in ns. A device that has worked within the
/// last `device_idle_ns` is warmed up by one iteration instead.
inline constexpr double device_warm_up_ns = 20e6;
inline constexpr double device_idle_ns = 1e6;

/// Returns the least of `first` and of the times in ns that up to 8 calls of `measure` return. No
/// call begins later than 20 ms after `start_ns`. The least time is the one with the fewest
/// interruptions. So contenders that run the same code get about the same time, and therefore about
/// the same number of iterations per turn.
double quiet_ns(Clock& clock, std::int64_t start_ns, double first,
                const std::function<double()>& measure);

/// Returns the time of one iteration in ns. It is measured in bursts of successive iterations that
/// take about as long as a turn. `burst_ns` runs the given number of iterations and returns their
/// time.
double iteration_in_burst_ns(Clock& clock,
                             const std::function<double(std::int64_t iterations)>& burst_ns);

/// Returns 1 if an iteration takes at least turn_floor_ns. Otherwise returns the least number of
/// iterations that together take at least turn_floor_ns, and at least as long as 1000 readings of
/// the clock.
std::int64_t iterations_per_turn(double iteration_ns, double clock_cost_ns);

/// Returns the least number of iterations of a turn. It is 1 for a case that loads no files. For a
/// case that loads files, it is the number in an epoch (all images once), but at most 16, and at
/// most as many as take 3 s. The reason is that in a whole epoch, every variant loads the same
/// images, and the workers of a library can load ahead.
std::int64_t iterations_of_an_epoch(const Case& planned, double iteration_ns);

/// The times of the user's own loader. `start_ns`: from the start of an epoch until batches come;
/// the workers of the loader start in this time. `batch_ns`: per batch after that. The times were
/// measured in `runs` runs, which took `spent_ns` in all.
struct LoaderTimes {
  double start_ns = 0, batch_ns = 0;
  double spent_ns = 0;
  int runs = 0;
};

/// Measures the times of a loader with `epoch` batches in an epoch; 0: not known. `run_ns` starts
/// the loader, takes the given number of batches, and returns the time. The numbers are 1, 2, 4,
/// ... until an epoch is reached or the runs took 1.5 s.
LoaderTimes loader_times(std::int64_t epoch,
                         const std::function<double(std::int64_t batches)>& run_ns);

/// Returns the number of batches of a turn: the least number of whole epochs with at least
/// `batches` batches. If `epoch` is 0, or if one epoch takes longer than 3 s, returns as many
/// batches as fit into 3 s, but at least `batches`.
std::int64_t whole_epochs(std::int64_t batches, std::int64_t epoch, const LoaderTimes& times);

/// Returns how long one reading of the clock takes, in ns.
double clock_cost_ns(Clock& clock);

/// How the turns of a contender run. This is decided before the first round.
struct TurnShape {
  std::int64_t iterations = 1;
  std::int64_t epoch = 0;  // batches in an epoch of the user's own loader; 0: none, or not known
  std::int64_t first = 0;  // number of the first item (iteration); a loader chooses its files by it
  // The upper limit of `iterations`. With cold files, no image may be read twice in a turn.
  std::int64_t most_iterations = std::numeric_limits<std::int64_t>::max();
  bool marks = false;  // true: each stage is timed and has a range; no graphs are used
  std::int64_t warmup_ns = 1'000'000;  // least warm-up (idle device: at least 20 ms); 0: none
  // The estimated times of an iteration, and of everything else in a turn: the warm-up, the drop of
  // cold files, and the wait until a peer is idle.
  double iteration_ns = 0, beside_ns = 0;
  bool looked_at = false;       // true: an image of the last outputs is kept for a check
  bool device_awake = false;    // true: the device worked just now; one iteration warms it up
  std::int64_t bracket_ns = 0;  // device time between two marks without work; 0: not measured
};

/// Warms up and decides how turns run.
/// - Without a pipeline, a turn has iterations_per_turn() or iterations_of_an_epoch() iterations,
///   whichever is more, but at most the limit for cold files. Its stages are timed by marks if the
///   marks take less than 0.5 % of an iteration and the case has no graphs.
/// - The turn of a pipeline has as many items as the config names. Its stages are timed by marks if
///   the marks take less than 0.5 % of the time of an item. Without a device, its stages are always
///   timed.
/// Also estimates the time of such a turn. For the estimate, runs some iterations or, for a
/// pipeline, as many items as may be in flight.
TurnShape shape_of_turns(Engine& engine, double clock_cost_ns);

/// Warms up as `shape` requires. If `options` asks for graphs, also launches each graph once.
void prepare_turn(Engine& engine, const TurnShape& shape, const EngineOptions& options);

/// Runs iterations until at least 1 ms (20 ms on a device) has passed. Waits for each iteration,
/// and uses no graphs. Returns the mean time of an iteration in ns.
double warm_up(Engine& engine);

}  // namespace normbench
