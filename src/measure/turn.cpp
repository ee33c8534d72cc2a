#include "measure/turn.h"

#include <algorithm>
#include <optional>

#include "measure/anchor.h"
#include "measure/turn_length.h"

namespace normbench {

namespace {

constexpr double marks_share = 0.005;

/// A range around warm-up work and what is decided from it.
Range warm_up_range(Contender& contender) {
  return {&contender.recorder(), RangeKind::Warmup, "warmup"};
}

/// warm_up without its range, for `least_ns` on the CPU.
double warm(Contender& contender, Clock& clock, double least_ns = turn_floor_ns) {
  const double enough_ns =
      contender.device() != nullptr ? std::max(device_warm_up_ns, least_ns) : least_ns;
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

double quiet_iteration_ns(Contender& contender, Clock& clock) {
  const std::int64_t start_ns = clock.now_ns();
  const double first = warm(contender, clock);
  if (contender.device() != nullptr)  // submitted one after another, they overlap
    return iteration_in_burst_ns(
        clock, [&](std::int64_t iterations) { return burst_ns(contender, iterations, clock); });
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
  const double marks_ns = marks_cost_ns(contender, clock, clock_cost_ns);
  return {.iterations = iterations_per_turn(iteration_ns, clock_cost_ns),
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
    if (shape.warmup_ns > 0) warm(contender, clock, static_cast<double>(shape.warmup_ns));
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
