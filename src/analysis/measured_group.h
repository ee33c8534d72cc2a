/// A group with facts about its cases and limits that its analysis needs several times.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/known_limits.h"
#include "document/results.h"

namespace normbench {

/// The times of a group's cases, and tables of its limits (KnownLimits). Points to the group.
class MeasuredGroup {
 public:
  MeasuredGroup(const GroupResult& group, const Results& results);

  const GroupResult& group() const { return group_; }
  const Results& results() const { return results_; }
  const KnownLimits& limits() const { return limits_; }
  /// The index of the baseline; -1 if the group does not have it.
  int baseline() const { return baseline_; }

  /// Returns normbench::times_ns() of a case; an empty list if it was not measured.
  const std::vector<double>& times_ns(int index) const {
    return times_ns_[static_cast<std::size_t>(index)];
  }

  /// Returns true if the times of a case may be compared with those of the group's other cases:
  /// - The case was measured, and other programs did not disturb too many of its rounds (is_busy).
  /// - The case shares at least `fewest_left_alone` rounds that count (times_ns) with every other
  ///   measured case. This is not required if one of the two has fewer rounds in all.
  bool is_comparable(int index) const { return comparable_[static_cast<std::size_t>(index)]; }

  /// Returns the published figures of a variant, in the order of the group. Figures of a single
  /// stage are left out.
  const std::vector<const Published*>& published(const std::string& variant) const;

 private:
  const GroupResult& group_;
  const Results& results_;
  KnownLimits limits_;
  int baseline_ = -1;
  std::vector<std::vector<double>> times_ns_;
  std::vector<bool> comparable_;
  std::unordered_map<std::string_view, std::vector<const Published*>> published_;
};

}  // namespace normbench
