/// Tells whether the host's memory was in one state or in two while a group was measured.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/case_analysis.h"

namespace normbench {

/// Tells whether the speed of the host's memory changed while a group was measured. The memory
/// limits of a group are streams: loops that move the same bytes in different ways. Each round runs
/// all of them. Which one is the fastest depends on the state of the memory. So if the ratio of the
/// times of two streams has two levels, the memory had two states.
struct HostStates {
  /// Two streams that move equally many bytes, and how the ratio of their times changed.
  struct Change {
    std::string limit, other;  // names; `other` is the faster one over all rounds
    // The first round of the second state, counted from 0. Nothing if the states alternate.
    std::optional<int> round = {};
    // Number of rounds in the second state, or in the rarer state if the states alternate.
    int rounds = 0;
    double before = 0, after = 0;  // time of `limit` over time of `other`: median in each state
  };

  int rounds = 0;                     // fewest rounds of a compared pair; 0: nothing was compared
  bool are_enough = false;            // `rounds` are enough to find a change in the middle of them
  std::optional<Change> change = {};  // the largest change
};

/// Compares each stream on the host with a reference: the stream that moves the same bytes with as
/// many threads and is the fastest over all rounds. A change is reported if both of these hold:
/// - The ratio of the two times has two levels that are at least 3 % apart. Pettitt's test finds a
///   lasting change (at a significance level of 5 % over all comparisons), and two_levels() finds a
///   change back and forth.
/// - At one of the two levels, the stream is faster than the reference.
/// A change that slows all streams by the same factor is not found.
HostStates host_states(const GroupResult& group, const Results& results);

/// A change of level in a series, by Pettitt's rank test (Applied Statistics 28, 1979). `at` is the
/// index of the first value after the change. `p_value` is approximate and at most 1.
struct ChangePoint {
  std::size_t at = 0;
  double p_value = 1;
};
ChangePoint change_point(std::span<const double> series);

}  // namespace normbench
