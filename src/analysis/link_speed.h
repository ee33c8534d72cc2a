/// Compares the speed of copies to and from a GPU with the rate of its PCIe link.
#pragma once

#include <span>

#include "analysis/machine_limits.h"

namespace normbench {

/// If copies reach less than this share of the link's rate, the GPU is assumed to have only a part
/// of the link. Normally, copies of pinned memory reach 80 to 95 %.
constexpr double low_link = 0.6;

struct LinkSpeed {
  int generation = 0, width = 0;  // PCIe generation and number of lanes, read while copies ran
  double bytes_per_second = 0;    // rate of the link in each direction
  double up = 0, down = 0;        // bytes/s of the fastest copies to and from the GPU, or 0

  /// Returns the share of the link's rate that the slower direction reaches.
  double share() const;
  bool is_low() const { return share() < low_link; }
  /// Returns true if copies exceed the link's rate by more than 5 %. They then use another link
  /// than PCIe, such as NVLink to the host.
  bool is_another() const;
};

/// Returns the speed of copies of at least 16 MiB to and from the GPU of `environment`. Smaller
/// copies are left out, because most of their time is the cost of the call. Returns nothing if
/// there is no such copy, or if the state of the link was not read while copies ran.
std::optional<LinkSpeed> link_speed(const Json& environment,
                                    const std::vector<MachineLimit>& limits);
/// Returns the speed of the copies among the limits of these groups, on the GPU of `results`.
std::optional<LinkSpeed> link_speed(const Results& results,
                                    std::span<const GroupResult* const> groups);

}  // namespace normbench
