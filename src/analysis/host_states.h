/// Tells whether the host's memory was in one state or in two while a group was measured.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/case_analysis.h"

namespace normbench {

/// States of the host's memory. Several loops move the same bytes; which one is the fastest depends
/// on the memory and, in a virtual machine, on its host. The loops take turns in the same rounds.
/// If the ratio of two loops has two levels, the machine had two states.
struct HostStates {
  /// Two streams of equally many bytes, and how the ratio of their times changed.
  struct Change {
    std::string limit, other;  // `other` is the fastest stream over all rounds
    // The first round of the second state, counted from 0. Nothing if the states alternate.
    std::optional<int> round = {};
    int rounds = 0;                // rounds in the second state; if states alternate, in the rarer
    double before = 0, after = 0;  // median of the limit's time over the other's, in each state
  };

  int rounds = 0;                     // fewest rounds of a comparison; 0: nothing was compared
  bool are_enough = false;            // `rounds` are enough to find a change in the middle of them
  std::optional<Change> change = {};  // the largest change
};

/// Compares each stream on the host with the fastest stream of the same bytes and threads. The
/// machine had two states if the ratio of the two has two levels at least 3 % apart, and the first
/// stream is the faster one at one level. A lasting change is found by Pettitt's test, at 5 % over
/// all comparisons. A change back and forth is found by two_levels(). A change that slows all
/// streams alike is not reported.
HostStates host_states(const GroupResult& group, const Results& results);

/// A change of level in a series, by Pettitt's rank test (Applied Statistics 28, 1979). It has the
/// index of the first value after the change and the approximate p-value, at most 1.
struct ChangePoint {
  std::size_t at = 0;
  double p_value = 1;
};
ChangePoint change_point(std::span<const double> series);

}  // namespace normbench
