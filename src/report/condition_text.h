/// The state the GPU was in before and after a group's rounds.
#pragma once

#include <string>

#include "analysis/sweep.h"
#include "document/results.h"

namespace normbench {

/// A row before and a row after the rounds: clocks, temperature, power, link, throttle reasons; ""
/// without a GPU.
std::string condition_table(const GroupResult& group);

/// "The GPU held its clocks back (sw_power_cap): …" for any reason but idling; "" without one.
std::string throttle_warning(const Experiment& experiment);

}  // namespace normbench
