/// When a group has been measured long enough.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "document/results.h"

namespace normbench {

/// Decides by the width of the ratios' intervals, never by where they lie, so that stopping favours
/// no contender. It looks only at rounds 120, 240, 480, … (at the first call at or after each) and
/// at decision_level. In fewer rounds the machine may not have shown its other state: of a host
/// that changes every 40 rounds or so, 26 rounds see one state more often than both.
class StopRule {
 public:
  static constexpr int fewest_rounds = 12;
  static constexpr int first_look = 120;

  /// `precision`: half-width on the log scale that every ratio must reach (0.01 is 1 %). Where
  /// several processes measure a group, each needs only its share of the fewest rounds.
  StopRule(double precision, double max_seconds, std::int64_t processes = 1);

  /// Why to stop now: every ratio has reached the precision with rounds that are worth 40
  /// independent ones (effective_rounds), or the time is over (and the fewest rounds are there); or
  /// nothing.
  /// `series`: the values of all rounds of each contender; ratios are to `series[baseline]`. A
  /// contender alone is held to the interval of its own values.
  std::optional<Stop> decide(std::span<const std::vector<double>> series, std::size_t baseline,
                             double seconds);

  /// Whether a group that has its fewest rounds has to end.
  bool time_is_over(double seconds) const { return seconds >= max_seconds_; }
  bool has_fewest(std::size_t rounds) const { return rounds >= fewest_rounds_; }

  /// The widest half-width at the last look; 0 before the first.
  double half_width() const { return half_width_; }

 private:
  double precision_, max_seconds_;
  std::size_t fewest_rounds_;
  int next_look_ = first_look;
  double half_width_ = 0;
};

}  // namespace normbench
