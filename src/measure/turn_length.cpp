#include "measure/turn_length.h"

#include <algorithm>
#include <cmath>

namespace normbench {

namespace {

constexpr double floor_clock_costs = 1000;
constexpr int calibrations = 8;
constexpr double calibrations_ns = 20e6;

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

}  // namespace normbench
