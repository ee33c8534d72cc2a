/// Whether the host's memory was in one state or two while a group was measured.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/case_analysis.h"

namespace normbench {

/// States of the host's memory. Which form of a loop moves bytes fastest depends on the machine's
/// memory, and on a virtual machine on what its host leaves of that. Forms of one stream that took
/// turns in the same rounds show it: two levels of their ratio are two states of the machine.
struct HostStates {
  /// A change between two limits, which are streams of the same bytes.
  struct Change {
    std::string limit, other;  // the other is the fastest over all rounds
    // The first round of the second state, from 0; nothing where the state comes and goes.
    std::optional<int> round = {};
    int rounds = 0;                // of the second state, or of the rarer one if it comes and goes
    double before = 0, after = 0;  // median ratio of the limit's time to the other's in each state
  };

  int rounds = 0;                     // the least of any stream; 0: no stream has two forms here
  bool are_enough = false;            // a change in the middle would be found
  std::optional<Change> change = {};  // the largest one
};

/// Compares each stream on the host with the fastest one with the same bytes and threads. Two
/// states are levels 3 % or more apart, with the other stream faster in one of them: from a round
/// on, by Pettitt's test at 5 % over all comparisons; or coming and going, where the ratios have
/// two levels (two_levels). A change of all forms alike, or of one that is never the fastest, is no
/// finding.
HostStates host_states(const GroupResult& group, const Results& results);

/// Where a series changes its level, by Pettitt's rank test (Applied Statistics 28, 1979): the
/// index of the first value after the change, and the approximate p-value, at most 1.
struct ChangePoint {
  std::size_t at = 0;
  double p_value = 1;
};
ChangePoint change_point(std::span<const double> series);

}  // namespace normbench
