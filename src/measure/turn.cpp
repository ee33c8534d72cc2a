#include "measure/turn.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "measure/anchor.h"

namespace normbench {

namespace {

constexpr double floor_ns = 1e6;
constexpr double device_floor_ns = 20e6;
constexpr double floor_clock_costs = 1000;
constexpr double marks_share = 0.005;
constexpr int calibrations = 8;
constexpr double calibrations_ns = 20e6;

/// Calls `measure` a few times and returns the least of `first` and what it gave: the time when
/// nothing else takes the processor. Contenders with the same code must get turns of the same
/// length, or interruptions weigh on them differently.
template <class Measure>
double quiet_ns(Clock& clock, std::int64_t start_ns, double first, Measure measure) {
  double least = first;
  for (int i = 0; i < calibrations; ++i) {
    if (static_cast<double>(clock.now_ns() - start_ns) > calibrations_ns) break;
    least = std::min(least, measure());
  }
  return least;
}

/// A range around warm-up work and what is decided from it.
Range warm_up_range(Contender& contender) {
  return {&contender.recorder(), RangeKind::Warmup, "warmup"};
}

/// warm_up without its range.
double warm(Contender& contender, Clock& clock) {
  const double enough_ns = contender.device() != nullptr ? device_floor_ns : floor_ns;
  const std::int64_t start_ns = clock.now_ns();
  std::int64_t iterations = 0, spent_ns = 0;
  do {
    contender.advance();
    contender.run({.graphs = false});
    contender.drain();
    ++iterations;
    spent_ns = clock.now_ns() - start_ns;
  } while (static_cast<double>(spent_ns) < enough_ns);
  return static_cast<double>(spent_ns) / static_cast<double>(iterations);
}

/// The time of `iterations` from first submit to drained; graphs are there before.
double burst_ns(Contender& contender, std::int64_t iterations, Clock& clock) {
  contender.capture(iterations);
  const std::int64_t start_ns = clock.now_ns();
  for (std::int64_t i = 0; i < iterations; ++i) {
    contender.advance();
    contender.run({});
  }
  contender.drain();
  return static_cast<double>(clock.now_ns() - start_ns);
}

/// The time of an iteration among as many as make a turn: submitted one after another, they overlap
/// with what the device does.
double device_iteration_ns(Contender& contender, Clock& clock) {
  const std::int64_t start_ns = clock.now_ns();
  std::int64_t iterations = 1;
  double spent_ns = burst_ns(contender, iterations, clock);
  while (spent_ns < floor_ns) {
    const double enough = 1.2 * floor_ns / std::max(spent_ns, 1.0);
    iterations *=
        std::clamp(static_cast<std::int64_t>(std::ceil(enough)), std::int64_t{2}, std::int64_t{10});
    spent_ns = burst_ns(contender, iterations, clock);
  }
  return quiet_ns(clock, start_ns, spent_ns,
                  [&] { return burst_ns(contender, iterations, clock); }) /
         static_cast<double>(iterations);
}

double quiet_iteration_ns(Contender& contender, Clock& clock) {
  const std::int64_t start_ns = clock.now_ns();
  const double first = warm(contender, clock);
  if (contender.device() != nullptr) return device_iteration_ns(contender, clock);
  return quiet_ns(clock, start_ns, first, [&] { return warm(contender, clock); });
}

/// What timing every stage of an iteration costs.
double marks_cost_ns(Contender& contender, Clock& clock, double clock_cost_ns) {
  const auto& stages = contender.work().stages;
  double cost_ns = 2 * clock_cost_ns * static_cast<double>(stages.size());
  if (contender.device() == nullptr) return cost_ns;
  const double mark_ns = mark_cost_ns(*contender.device(), clock) + 2 * clock_cost_ns;
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

/// Captures the graphs of a turn, and launches those of one iteration before it: the device did
/// nothing meanwhile.
void start_graphs(Contender& contender, std::int64_t iterations) {
  contender.capture(1 + iterations);
  if (!contender.work().graph) return;
  contender.advance();
  contender.run({});
  contender.drain();
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
  const Range range = warm_up_range(contender);
  return warm(contender, clock);
}

TurnShape shape_of_turns(Contender& contender, Clock& clock, double clock_cost_ns) {
  const Range range = warm_up_range(contender);
  const double iteration_ns = quiet_iteration_ns(contender, clock);
  const double enough_ns = std::max(floor_ns, floor_clock_costs * clock_cost_ns);
  const double marks_ns = marks_cost_ns(contender, clock, clock_cost_ns);
  return {.iterations = iteration_ns >= floor_ns
                            ? 1
                            : static_cast<std::int64_t>(std::ceil(enough_ns / iteration_ns)),
          .marks = !contender.work().graph && marks_ns < marks_share * iteration_ns};
}

Turn take_turn(Contender& contender, const TurnShape& shape, Clock& clock,
               std::mt19937_64& random) {
  contender.place(random);
  IterationOptions options;
  std::optional<StageTimes> times;
  if (shape.marks) {
    times.emplace(clock, contender.work().stages.size());
    options = {.ranges = true, .times = &*times, .graphs = false};
  }
  {
    const Range range = warm_up_range(contender);
    warm(contender, clock);
    if (options.graphs) start_graphs(contender, shape.iterations);
  }

  Turn turn;
  Queue* const device = contender.device();
  if (device != nullptr) {
    device->reset_marks();
    device->mark();
  }
  const Counters counters = clock.counters();
  const std::int64_t cpu_ns = clock.cpu_ns();
  turn.round.start_ns = clock.now_ns();
  for (std::int64_t i = 0; i < shape.iterations; ++i) {
    contender.advance();
    contender.run(options);
  }
  const int last = device != nullptr ? device->mark() : 0;
  contender.drain();
  turn.round.wall_ns = clock.now_ns() - turn.round.start_ns;
  turn.round.cpu_ns = clock.cpu_ns() - cpu_ns;
  turn.round.counters = clock.counters() - counters;
  if (device != nullptr) turn.round.device_ns = device->ns_between(0, last);
  if (times) read_stage_times(*times, device, turn);
  contender.drop_graphs();
  return turn;
}

}  // namespace normbench
