/// How fast copies are over a GPU's link, against what the link was negotiated for.
#pragma once

#include <span>

#include "analysis/machine_limits.h"

namespace normbench {

/// Below this share of its link a GPU has only a part of it: copies of pinned memory reach 80 to
/// 95 %.
constexpr double low_link = 0.6;

struct LinkSpeed {
  int generation = 0, width = 0;  // of PCIe, while copies ran
  double bytes_per_second = 0;    // that it carries at most, each way
  double up = 0, down = 0;        // of the fastest copies to the GPU and from it; 0: not measured

  /// What the slower direction has of it.
  double share() const;
  bool is_low() const { return share() < low_link; }
  /// True where copies take another link: of some GPUs NVLink goes to the host.
  bool is_another() const;
};

/// The speed of copies of 16 MiB or more on the environment's GPU: smaller ones are bound by their
/// calls. Nothing where there are none, or nobody knows the link as it is while copies run.
std::optional<LinkSpeed> link_speed(const Json& environment,
                                    const std::vector<MachineLimit>& limits);
/// The same speed, from the limits of these groups.
std::optional<LinkSpeed> link_speed(const Results& results,
                                    std::span<const GroupResult* const> groups);

}  // namespace normbench
