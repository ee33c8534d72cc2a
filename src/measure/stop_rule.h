/// Decides when a group has been measured long enough.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "document/results.h"

namespace normbench {

/// Decides by the width of the ratios' intervals, never by their position, so that stopping favours
/// no contender. The intervals have the level `decision_level`. They are computed only at the first
/// call with at least 120 rounds, the first with at least 240, then 480, and so on. Fewer rounds
/// may show only one state of the machine: if a host changes its state every 40 rounds on average,
/// about half of all series of 26 rounds show only one state.
class StopRule {
 public:
  static constexpr int fewest_rounds = 12;
  static constexpr int first_look = 120;
  /// Groups of more contenders are measured in blocks of only the fewest rounds.
  static constexpr std::size_t most_in_whole_squares = 24;

  /// `precision`: the largest allowed half-width of a ratio's interval, on the log scale (0.01 is 1
  /// %). If several processes measure a group, each needs only its share of the fewest rounds.
  StopRule(double precision, double max_seconds, std::int64_t processes = 1);

  /// Returns the number of rounds in a block. A block of up to 24 contenders has as many rounds as
  /// contenders: a whole Latin square, in which every contender is once at every position. With
  /// more contenders a block has 12 rounds of a square, each contender at 12 positions drawn at
  /// random, so that the time of a group grows with the number of its contenders and not with its
  /// square.
  static std::size_t block_rounds(std::size_t contenders);

  /// Returns the fewest rounds of a process, rounded up to whole blocks.
  static std::size_t whole_blocks(std::size_t contenders, std::int64_t processes = 1);

  /// Returns why to stop now, or nothing:
  /// - Stop::Precision: the interval of every ratio is narrow enough, and its rounds are worth at
  ///   least 40 independent ones (effective_rounds).
  /// - Stop::Time: the time is over, and there are at least the fewest rounds.
  /// `series`: the values of all rounds, by contender. Ratios are to `series[baseline]`. For a
  /// single contender, the interval of its own values decides.
  std::optional<Stop> decide(std::span<const std::vector<double>> series, std::size_t baseline,
                             double seconds);

  /// True if the group's time is over. The group still has to complete its fewest rounds.
  bool time_is_over(double seconds) const { return seconds >= max_seconds_; }
  bool has_fewest(std::size_t rounds) const { return rounds >= fewest_rounds_; }

  /// The half-width of the widest interval when intervals were last computed; 0 before that.
  double half_width() const { return half_width_; }

 private:
  double precision_, max_seconds_;
  std::size_t fewest_rounds_;
  int next_look_ = first_look;
  double half_width_ = 0;
};

}  // namespace normbench
