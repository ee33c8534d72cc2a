/// How long turns are: what is decided from the time of an iteration, wherever it runs.
#pragma once

#include <cstdint>
#include <functional>

#include "record/clock.h"

namespace normbench {

/// What a turn, and the warm-up in front of it, take at least.
inline constexpr double turn_floor_ns = 1e6;
/// A device needs longer to warm up.
inline constexpr double device_warm_up_ns = 20e6;

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

}  // namespace normbench
