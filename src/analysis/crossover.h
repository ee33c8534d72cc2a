/// Where along an axis one variant overtakes another.
#pragma once

#include <string>
#include <vector>

#include "analysis/axis.h"

namespace normbench {

/// `from` is beyond doubt faster at `after`, `to` at the later `by`; between them lies the
/// crossover, and no point where either is.
struct Change {
  std::string from, to;
  Json after, by;

  bool operator==(const Change&) const = default;
};

/// Two variants along one axis.
struct Crossing {
  std::string a, b;
  std::vector<Change> changes;
  std::string leader;       // faster wherever one is beyond doubt, when nothing changes; or ""
  std::size_t decided = 0;  // points where one is beyond doubt faster, …
  std::size_t points = 0;   // … of those where both were measured
  Json first, last;         // of these
};

/// Compares two variants by the pairs of the groups' analyses.
Crossing cross(const Experiment& experiment, const AxisLine& line, const std::string& a,
               const std::string& b);

/// The baseline against every other variant of the line, where both were measured twice.
std::vector<Crossing> crossings(const Experiment& experiment, const AxisLine& line);

/// Where the winner of all changes along a line.
std::vector<Change> winner_changes(const Experiment& experiment, const AxisLine& line);

/// "From batch 8 on, fused wins: it overtakes eager between 4 and 8".
std::string change_text(const AxisLine& line, const Change& change);
/// What a crossing says of b: "from 8 on (between 4 and 8)", "never, up to 64", "at all 3 points".
std::string crossing_text(const Crossing& crossing);

}  // namespace normbench
