/// Decides when the rounds of a group end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "document/results.h"

namespace normbench {

/// Ends the rounds when the time is over, or when the confidence intervals of all ratios are narrow
/// enough. The position of an interval does not matter, so that the end favours no contender. A
/// ratio is the time of a contender over the time of the baseline. The intervals have the level
/// `decision_level`. decide() computes them in its first call with at least 120 rounds, in its
/// first call with at least 240 rounds, then 480, and so on.
/// Fewer than 120 rounds may show only one state of the machine. For example, if a host changes its
/// state every 40 rounds on average, about half of all series of 26 rounds show only one state.
class StopRule {
 public:
  static constexpr int fewest_rounds = 12;
  static constexpr int first_look = 120;
  /// A group with more contenders than this has blocks of `fewest_rounds` rounds.
  static constexpr std::size_t most_in_whole_squares = 24;

  /// `precision`: the largest allowed half-width of the interval of a ratio, on the log scale (0.01
  /// is 1 %). `max_seconds`: the time limit of the rounds. If several processes measure a group,
  /// they divide `fewest_rounds` among themselves.
  StopRule(double precision, double max_seconds, std::int64_t processes = 1);

  /// Returns the number of rounds in a block. With up to 24 contenders, a block is a whole Latin
  /// square: it has as many rounds as contenders, and every contender is at every position once.
  /// With more contenders, a block has 12 random rounds of a Latin square. So the time of a group
  /// grows with the number of its contenders, not with the square of this number.
  static std::size_t block_rounds(std::size_t contenders);

  /// Returns the least number of rounds that a process must run, rounded up to whole blocks.
  static std::size_t whole_blocks(std::size_t contenders, std::int64_t processes = 1);

  /// Returns why the rounds end now, or nothing if they go on:
  /// - Stop::Precision: the interval of every ratio is narrow enough, and effective_rounds() of
  ///   every ratio is at least 40.
  /// - Stop::Time: the time is over, and the least number of rounds is done.
  /// `series` has the values of all rounds, by contender. Ratios are relative to
  /// `series[baseline]`. If there is only one contender, the interval of its own values is used.
  std::optional<Stop> decide(std::span<const std::vector<double>> series, std::size_t baseline,
                             double seconds);

  /// Returns true if the time of the group is over. Even then, the group must complete the least
  /// number of rounds.
  bool time_is_over(double seconds) const { return seconds >= max_seconds_; }
  bool has_fewest(std::size_t rounds) const { return rounds >= fewest_rounds_; }

  /// Returns the half-width of the widest interval when intervals were last computed; 0 before
  /// that.
  double half_width() const { return half_width_; }

 private:
  double precision_, max_seconds_;
  std::size_t fewest_rounds_;
  int next_look_ = first_look;
  double half_width_ = 0;
};

}  // namespace normbench
