#include "measure/turn_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "measure/file_walk.h"

namespace normbench {
namespace {

// A turn is a whole epoch only if the epoch takes at most this time.
constexpr double longest_epoch_ns = 3e9;

constexpr double floor_clock_costs = 1000;
constexpr int calibrations = 8;
constexpr double calibrations_ns = 20e6;

constexpr double marks_share = 0.005;

Range warm_up_range(Engine& engine) { return {&engine.recorder(), RangeKind::Warmup, "warmup"}; }

/// Returns the number of items of an epoch, a pass over all images; rounded up.
std::int64_t items_of_an_epoch(const Load& load) {
  return (load.image_count() + load.batch - 1) / load.batch;
}

/// Returns the least length of the warm-up of a turn in ns. A warm-up has at least one iteration
/// even if this is 0.
double warm_up_ns(const Engine& engine, const TurnShape& shape) {
  const auto least_ns = static_cast<double>(shape.warmup_ns);
  if (engine.device() == nullptr) return least_ns;
  return shape.device_awake ? 0 : std::max(device_warm_up_ns, least_ns);
}

/// Runs iterations until `enough_ns` have passed, but at least one. Returns their mean time in ns.
double warm(Engine& engine, double enough_ns) {
  Clock& clock = engine.clock();
  const std::int64_t start_ns = clock.now_ns();
  std::int64_t iterations = 0, spent_ns = 0;
  do {
    engine.advance();
    engine.iterate({.graphs = false});
    engine.drain();
    ++iterations;
    spent_ns = clock.now_ns() - start_ns;
  } while (static_cast<double>(spent_ns) < enough_ns);
  return static_cast<double>(spent_ns) / static_cast<double>(iterations);
}

/// Captures the graphs, and then runs the iterations. Returns the time of all iterations in ns,
/// from the first submission until all work is done.
double burst_ns(Engine& engine, std::int64_t iterations) {
  engine.capture(iterations);
  const std::int64_t start_ns = engine.clock().now_ns();
  for (std::int64_t i = 0; i < iterations; ++i) {
    engine.advance();
    engine.iterate({});
  }
  engine.drain();
  return static_cast<double>(engine.clock().now_ns() - start_ns);
}

double quiet_iteration_ns(Engine& engine) {
  const double enough_ns = warm_up_ns(engine, {});
  Clock& clock = engine.clock();
  const std::int64_t start_ns = clock.now_ns();
  const double first = warm(engine, enough_ns);
  if (engine.device() != nullptr)  // on a device, successive iterations overlap
    return iteration_in_burst_ns(
        clock, [&](std::int64_t iterations) { return burst_ns(engine, iterations); });
  return quiet_ns(clock, start_ns, first, [&] { return warm(engine, enough_ns); });
}

/// Returns the relative standard error of the mean; infinity for fewer than two values.
double relative_error(std::span<const double> values) {
  if (values.size() < 2) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1) / count) / mean;
}

/// The time of item 0, and the mean time of all items that ran, in ns. Only for a case that loads
/// files.
struct ItemTimes {
  double first, mean;
};

/// Times the first items of a case that loads files. Their times differ, because they load
/// different files. So four items are run, then up to two more until the relative standard error is
/// at most 10 %. If these items took less than 20 ms together, more items are run.
ItemTimes times_of_items(Engine& engine) {
  constexpr double precise = 0.1;
  constexpr std::int64_t least = 4, most = 6;
  const Load& load = *engine.planned().loader();
  const std::int64_t different =
      std::clamp<std::int64_t>(engine.cold_files().most_items(), 1, items_of_an_epoch(load));
  FileWalk walk;
  walk.add(load, std::min(most, different));
  walk.begin();  // reads the files ahead, as before a turn
  engine.cold_files().drop();
  std::vector<double> times;
  const auto take = [&](std::int64_t items, std::int64_t first) {
    return static_cast<double>(engine.run(items, {.graphs = false, .first = first}).round.wall_ns);
  };
  while (std::ssize(times) < std::min(least, different) ||
         (std::ssize(times) < std::min(most, different) && relative_error(times) > precise))
    times.push_back(take(1, std::ssize(times)));
  double spent_ns = std::accumulate(times.begin(), times.end(), 0.0);
  std::int64_t items = std::ssize(times);
  while (spent_ns < calibrations_ns) {
    const double each_ns = std::max(spent_ns, 1.0) / static_cast<double>(items);
    const auto missing = static_cast<std::int64_t>((calibrations_ns - spent_ns) / each_ns) + 1;
    spent_ns += take(missing, 0);
    items += missing;
  }
  return {.first = times.front(), .mean = spent_ns / static_cast<double>(items)};
}

/// Returns true if the marks of an iteration (time stamps around its stages) take so little time
/// that all turns may have them.
bool marks_are_cheap(Engine& engine, double clock_cost_ns, double iteration_ns) {
  const auto& stages = engine.planned().stages;
  double cost_ns = 0;  // for a pipeline, clock readings add nothing: they are made in any case
  if (!engine.planned().pipeline) cost_ns = 2 * clock_cost_ns * static_cast<double>(stages.size());
  if (engine.device() != nullptr) {
    const double mark_ns = mark_cost_ns(*engine.device(), engine.clock()) + 2 * clock_cost_ns;
    for (const Stage& stage : stages)
      if (stage.place == Place::Cuda) cost_ns += 2 * mark_ns;
  }
  return cost_ns < marks_share * iteration_ns;
}

/// Drops cold files from the page cache. Returns how long this takes in ns.
double ns_to_drop(Engine& engine) {
  const std::int64_t start_ns = engine.clock().now_ns();
  engine.cold_files().drop();
  return static_cast<double>(engine.clock().now_ns() - start_ns);
}

TurnShape shape_in_turn(Engine& engine, double clock_cost_ns) {
  const Range range = warm_up_range(engine);
  const Bound bound = engine.bind_fresh();
  ItemTimes item{};
  if (engine.planned().loader() != nullptr && engine.device() == nullptr)
    item = times_of_items(engine);
  else
    item.first = item.mean = quiet_iteration_ns(engine);
  const double iteration_ns = item.mean;
  const double drop_ns = ns_to_drop(engine);
  const std::int64_t most = engine.cold_files().most_items();
  const std::int64_t enough = std::max(iterations_per_turn(iteration_ns, clock_cost_ns),
                                       iterations_of_an_epoch(engine.planned(), iteration_ns));
  return {.iterations = std::min(enough, most),
          .most_iterations = most,
          .marks = marks_are_cheap(engine, clock_cost_ns, iteration_ns) && !engine.planned().graph,
          .iteration_ns = iteration_ns,
          .beside_ns = std::max(item.first, warm_up_ns(engine, {})) + drop_ns,
          .bracket_ns = engine.device() != nullptr ? empty_bracket_ns(*engine.device()) : 0};
}

TurnShape shape_in_lanes(Engine& engine, double clock_cost_ns) {
  const Pipeline& pipeline = *engine.planned().pipeline;
  const Flow flow = engine.run(pipeline.in_flight, {});
  const double run_ns = static_cast<double>(flow.round.wall_ns),
               item_ns = run_ns / static_cast<double>(pipeline.in_flight);
  TurnShape shape{.iterations = pipeline.items,
                  .most_iterations = engine.cold_files().most_items(),
                  .marks = true,
                  .iteration_ns = item_ns,
                  .beside_ns = run_ns + ns_to_drop(engine)};
  if (engine.device() == nullptr) return shape;
  shape.marks = marks_are_cheap(engine, clock_cost_ns, item_ns);
  shape.bracket_ns = empty_bracket_ns(*engine.device());
  return shape;
}

}  // namespace

double quiet_ns(Clock& clock, std::int64_t start_ns, double first,
                const std::function<double()>& measure) {
  double least = first;
  for (int i = 0; i < calibrations; ++i) {
    if (static_cast<double>(clock.now_ns() - start_ns) > calibrations_ns) break;
    least = std::min(least, measure());
  }
  return least;
}

double iteration_in_burst_ns(Clock& clock, const std::function<double(std::int64_t)>& burst_ns) {
  const std::int64_t start_ns = clock.now_ns();
  std::int64_t iterations = 1;
  double spent_ns = burst_ns(iterations);
  while (spent_ns < turn_floor_ns) {
    const double enough = 1.2 * turn_floor_ns / std::max(spent_ns, 1.0);
    iterations *=
        std::clamp(static_cast<std::int64_t>(std::ceil(enough)), std::int64_t{2}, std::int64_t{10});
    spent_ns = burst_ns(iterations);
  }
  return quiet_ns(clock, start_ns, spent_ns, [&] { return burst_ns(iterations); }) /
         static_cast<double>(iterations);
}

std::int64_t iterations_per_turn(double iteration_ns, double clock_cost_ns) {
  if (iteration_ns >= turn_floor_ns) return 1;
  const double enough_ns = std::max(turn_floor_ns, floor_clock_costs * clock_cost_ns);
  return static_cast<std::int64_t>(std::ceil(enough_ns / iteration_ns));
}

std::int64_t iterations_of_an_epoch(const Case& planned, double iteration_ns) {
  constexpr std::int64_t most = 16;
  const Load* const load = planned.loader();
  if (load == nullptr) return 1;
  const std::int64_t epoch = items_of_an_epoch(*load);
  const auto in_time = static_cast<std::int64_t>(longest_epoch_ns / std::max(iteration_ns, 1.0));
  return std::max<std::int64_t>(1, std::min({epoch, most, in_time}));
}

LoaderTimes loader_times(std::int64_t epoch,
                         const std::function<double(std::int64_t batches)>& run_ns) {
  constexpr double longest_ns = 1.5e9;
  constexpr std::int64_t most = 1 << 20;
  LoaderTimes times;
  std::int64_t batches = 1, before = 0;
  double before_ns = 0;
  while (true) {
    const double ns = run_ns(batches);
    times.spent_ns += ns;
    ++times.runs;
    // The first run alone cannot tell the start from the batches, so start_ns is then 0.
    times.batch_ns = ns / static_cast<double>(batches);
    if (before > 0 && ns > before_ns)
      times.batch_ns =
          std::min(times.batch_ns, (ns - before_ns) / static_cast<double>(batches - before));
    times.start_ns = ns - times.batch_ns * static_cast<double>(batches);
    if (batches == epoch || batches >= most || times.spent_ns > longest_ns) return times;
    before = batches;
    before_ns = ns;
    batches = epoch > 0 ? std::min(2 * batches, epoch) : 2 * batches;
  }
}

std::int64_t whole_epochs(std::int64_t batches, std::int64_t epoch, const LoaderTimes& times) {
  const double fitting =
      std::max(0.0, longest_epoch_ns - times.start_ns) / std::max(times.batch_ns, 1.0);
  if (epoch == 0 || static_cast<double>(epoch) > fitting)
    return std::max(batches, static_cast<std::int64_t>(std::min(fitting, 1e6)));
  return (batches + epoch - 1) / epoch * epoch;
}

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

double warm_up(Engine& engine) {
  const Range range = warm_up_range(engine);
  return warm(engine, warm_up_ns(engine, {}));
}

TurnShape shape_of_turns(Engine& engine, double clock_cost_ns) {
  return engine.planned().pipeline ? shape_in_lanes(engine, clock_cost_ns)
                                   : shape_in_turn(engine, clock_cost_ns);
}

void prepare_turn(Engine& engine, const TurnShape& shape, const EngineOptions& options) {
  if (const auto& pipeline = engine.planned().pipeline) {
    if (shape.warmup_ns > 0)
      engine.run(std::min<std::int64_t>(pipeline->in_flight, shape.iterations), options);
    return;
  }
  const Range range = warm_up_range(engine);
  if (shape.warmup_ns > 0) warm(engine, warm_up_ns(engine, shape));
  if (options.graphs) engine.launch_graphs_once(shape.iterations);
}

}  // namespace normbench
