#include "measure/turn.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "measure/host_use.h"
#include "measure/stage_times.h"

namespace normbench {
namespace {

constexpr double floor_clock_costs = 1000;
constexpr int calibrations = 8;
constexpr double calibrations_ns = 20e6;

constexpr double marks_share = 0.005;

/// A range around warm-up work and what is decided from it.
Range warm_up_range(PreparedCase& prepared) {
  return {&prepared.recorder(), RangeKind::Warmup, "warmup"};
}

/// What a turn's warm-up takes at least.
double warm_up_ns(const PreparedCase& prepared, const TurnShape& shape) {
  const auto least_ns = static_cast<double>(shape.warmup_ns);
  if (prepared.device() == nullptr) return least_ns;
  return shape.device_awake ? 0 : std::max(device_warm_up_ns, least_ns);
}

/// warm_up without its range: one iteration at least.
double warm(PreparedCase& prepared, Clock& clock, double enough_ns) {
  const std::int64_t start_ns = clock.now_ns();
  std::int64_t iterations = 0, spent_ns = 0;
  do {
    prepared.advance();
    prepared.run({.graphs = false});
    prepared.drain();
    ++iterations;
    spent_ns = clock.now_ns() - start_ns;
  } while (static_cast<double>(spent_ns) < enough_ns);
  return static_cast<double>(spent_ns) / static_cast<double>(iterations);
}

/// The time of `iterations` from first submit to drained; graphs are there before.
double burst_ns(PreparedCase& prepared, std::int64_t iterations, Clock& clock) {
  prepared.capture(iterations);
  const std::int64_t start_ns = clock.now_ns();
  for (std::int64_t i = 0; i < iterations; ++i) {
    prepared.advance();
    prepared.run({});
  }
  prepared.drain();
  return static_cast<double>(clock.now_ns() - start_ns);
}

double quiet_iteration_ns(PreparedCase& prepared, Clock& clock) {
  const double enough_ns = warm_up_ns(prepared, {});
  const std::int64_t start_ns = clock.now_ns();
  const double first = warm(prepared, clock, enough_ns);
  if (prepared.device() != nullptr)  // submitted one after another, they overlap
    return iteration_in_burst_ns(
        clock, [&](std::int64_t iterations) { return burst_ns(prepared, iterations, clock); });
  return quiet_ns(clock, start_ns, first, [&] { return warm(prepared, clock, enough_ns); });
}

/// What timing every stage of an iteration costs.
double marks_cost_ns(PreparedCase& prepared, Clock& clock, double clock_cost_ns) {
  const auto& stages = prepared.work().stages;
  double cost_ns = 2 * clock_cost_ns * static_cast<double>(stages.size());
  if (prepared.device() == nullptr) return cost_ns;
  const double mark_ns = mark_cost_ns(*prepared.device(), clock) + 2 * clock_cost_ns;
  for (const Stage& stage : stages)
    if (stage.place == Place::Cuda) cost_ns += 2 * mark_ns;
  return cost_ns;
}

/// What was taken of each stage in a turn that is drained.
void read_stage_times(const StageTimes& times, Queue* device, Turn& turn) {
  turn.stage_ns = turn.calls_ns = times.host_ns();
  for (const StageTimes::Span& span : times.spans()) turn.stage_ns[span.run.first] = 0;
  for (const StageTimes::Span& span : times.spans())
    turn.stage_ns[span.run.first] += device->ns_between(span.from, span.to);
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

std::int64_t iterations_of_an_epoch(const Case& work, double iteration_ns) {
  constexpr std::int64_t most = 16;
  constexpr double most_ns = 3e9;
  const auto* const load = std::get_if<Load>(&work.stages.front().op);
  if (load == nullptr) return 1;
  const std::int64_t epoch = (load->image_count() + load->batch - 1) / load->batch;
  const auto in_time = static_cast<std::int64_t>(most_ns / std::max(iteration_ns, 1.0));
  return std::max<std::int64_t>(1, std::min({epoch, most, in_time}));
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

double warm_up(PreparedCase& prepared, Clock& clock) {
  const Range range = warm_up_range(prepared);
  return warm(prepared, clock, warm_up_ns(prepared, {}));
}

TurnShape shape_of_turns(PreparedCase& prepared, Clock& clock, double clock_cost_ns) {
  const Range range = warm_up_range(prepared);
  const Bound bound = prepared.bind_fresh();
  const double iteration_ns = quiet_iteration_ns(prepared, clock);
  const double marks_ns = marks_cost_ns(prepared, clock, clock_cost_ns);
  const std::int64_t most = prepared.cold_files().most_items();
  const std::int64_t enough = std::max(iterations_per_turn(iteration_ns, clock_cost_ns),
                                       iterations_of_an_epoch(prepared.work(), iteration_ns));
  return {.iterations = std::min(enough, most),
          .most_iterations = most,
          .marks = !prepared.work().graph && marks_ns < marks_share * iteration_ns,
          .bracket_ns = prepared.device() != nullptr ? empty_bracket_ns(*prepared.device()) : 0};
}

Turn take_turn(PreparedCase& prepared, const TurnShape& shape, Clock& clock,
               std::mt19937_64& random, const std::function<void()>& look) {
  prepared.place(random);
  const Bound bound = prepared.bind_fresh();
  IterationOptions options;
  std::optional<StageTimes> times;
  if (shape.marks) {
    times.emplace(clock, prepared.work().stages.size());
    options = {.ranges = true, .times = &*times, .graphs = false};
  }
  {
    const Range range = warm_up_range(prepared);
    if (shape.warmup_ns > 0) warm(prepared, clock, warm_up_ns(prepared, shape));
    if (options.graphs) prepared.launch_graphs_once(shape.iterations);
  }
  prepared.cold_files().drop();

  Turn turn;
  Interlude looked(clock, look);
  Queue* const device = prepared.device();
  if (device != nullptr) {
    device->reset_marks();
    device->start_cycles();
  }
  const HostUse used(clock);
  // The device's time lies within the wall time, and both between what system calls tell.
  turn.round.start_ns = clock.now_ns();
  const int first = device != nullptr ? device->mark() : 0;
  for (std::int64_t i = 0; i < shape.iterations; ++i) {
    options.item = i;
    if (look && i + 1 == shape.iterations) options.before_free = &looked;
    prepared.advance();
    prepared.run(options);
  }
  const int last = device != nullptr ? device->mark() : 0;
  if (device != nullptr) turn.round.submitted_ns = clock.now_ns() - turn.round.start_ns;
  prepared.drain();
  turn.round.wall_ns = clock.now_ns() - turn.round.start_ns - looked.wall_ns();
  used.tell(turn.round);
  turn.round.cpu_ns -= looked.cpu_ns();
  turn.round.counters = turn.round.counters - looked.counters();
  if (device != nullptr) {
    turn.round.turn_clock_mhz = device->stop_cycles();
    turn.round.device_ns = device->ns_between(first, last);
  }
  if (times) read_stage_times(*times, device, turn);
  prepared.drop_graphs();
  return turn;
}

}  // namespace normbench
