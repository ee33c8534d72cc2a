/// Where along an axis one variant overtakes another.
#pragma once

#include <string>
#include <vector>

#include "analysis/sweep/sweep.h"

namespace normbench {

/// `from` is beyond doubt faster at `after`, `to` at the later `by`; between them lies the
/// crossover, and no point where either is.
struct Overtaking {
  std::string from, to;
  Json after, by;
};

/// Two variants along one axis.
struct Crossing {
  std::string a, b;
  std::vector<Overtaking> changes;
  std::string leader;       // faster wherever one is beyond doubt, when nothing changes; or ""
  std::size_t decided = 0;  // points where one is beyond doubt faster, …
  std::size_t points = 0;   // … of those where both were measured
  Json first, last;         // of these
};

/// The baseline against every other variant of the line, where both were measured twice.
std::vector<Crossing> crossings(const Experiment& experiment, const AxisLine& line);

/// Where the winner of all changes along a line.
std::vector<Overtaking> winner_changes(const Experiment& experiment, const AxisLine& line);

}  // namespace normbench
