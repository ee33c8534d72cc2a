/// Whether the host's memory was in one state or two while a group was measured.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/case_analysis.h"

namespace normbench {

/// From here on a change of two forms' ratio is one of the host's state.
inline constexpr double kOtherState = 1.03;

/// Which form of a loop moves bytes fastest depends on the machine's memory, and on a virtual
/// machine on what its host leaves of that. Forms of one stream that took turns in the same rounds
/// show it: where their ratio changed for good, rounds before and after are those of two machines.
struct HostStates {
  /// Of two limits, streams of the same bytes.
  struct Change {
    std::string limit, other;      // the other is the fastest over all rounds
    int round = 0;                 // the first of the second state, from 0
    double before = 0, after = 0;  // median of the limit's time over the other's
  };

  int rounds = 0;                     // of each; 0: no stream has two forms here
  bool are_enough = false;            // a change in the middle of them would be found
  std::optional<Change> change = {};  // the largest one
};

/// Compares each stream of the host with the fastest of the same bytes and threads. A change is one
/// by 3 % or more that Pettitt's test finds at 5 % over all that are compared.
HostStates host_states(const GroupResult& group, const Results& results);

/// Where a series changes its level, by Pettitt's rank test (Applied Statistics 28, 1979): the
/// index of the first value after the change, and the test's approximate p-value, at most 1.
struct ChangePoint {
  std::size_t at = 0;
  double p_value = 1;
};
ChangePoint change_point(std::span<const double> series);

}  // namespace normbench
