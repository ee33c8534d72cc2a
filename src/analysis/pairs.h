/// Compares measured cases of a group with one another.
#pragma once

#include "analysis/measured_group.h"
#include "document/results.h"
#include "document/statistics.h"
#include "plan/alike.h"

namespace normbench {

struct Pair {
  int a = 0, b = 0;
  Interval ratio;  // a's time over b's, at a level that is corrected for all pairs (Bonferroni)
  bool different = false;     // the difference is certain and exceeds margin_of()
  int rounds = 0;             // number of rounds that count for both cases (times_ns)
  bool covered = false;       // there are enough rounds for the interval of `ratio`
  double process_effect = 0;  // kProcessEffect if a peer ran one of the cases; else 0
};

/// Times of identical code in two processes may differ by this share, even if all rounds of each
/// process agree. They depend on the placement of memory and on the CPU that runs the process.
/// Measured differences between this process and the peer `normbench peer` were rarely larger.
constexpr double kProcessEffect = 0.05;

/// Returns the relative difference that the pair must exceed to count as different.
double margin_of(const Pair& pair, double precision);

/// The pairs of measured cases that may be compared (MeasuredGroup::is_comparable). A pair is
/// computed only on request, because the number of pairs grows with the square of the number of
/// cases. With k cases, the intervals are at level 1 - 0.05/(k(k-1)/2). A pair is different if the
/// whole interval is more than margin_of() away from 1.
class Pairs {
 public:
  Pairs() = default;
  explicit Pairs(const MeasuredGroup& group);

  /// Returns true if no two cases were compared.
  bool empty() const;
  /// Returns the pair of cases `a` and `b`; nothing if they were not compared. The pair of `b` and
  /// `a` has the inverse ratio.
  std::optional<Pair> of(int a, int b) const;

  /// Returns the pairs of these cases with one another, with a < b, in the order of the cases.
  std::vector<Pair> among(std::vector<int> cases) const;
  /// Returns the pairs that a reader looks at, in the order of the cases. With up to `most_in_full`
  /// cases these are all pairs. With more cases they are the pairs with a case in `chosen`.
  std::vector<Pair> shown(const std::vector<int>& chosen) const;
  /// Returns true if shown() returns all pairs.
  bool are_all_shown() const { return members_.size() <= most_in_full; }
  /// Returns the number of pairs of cases that may be compared.
  std::int64_t count() const;

  static constexpr std::size_t most_in_full = 64;

 private:
  struct Member {
    std::vector<double> times_ns;
    bool of_peer = false;
  };
  std::map<int, Member> members_;  // by index of the case
  double level_ = 0, precision_ = 0;
};

/// Returns true if `a` is certainly faster than `b`.
inline bool faster(const Pair& pair) { return pair.different && pair.ratio.value < 1; }

/// Returns the largest relative difference that the interval does not rule out, as a fraction.
double widest_difference(const Pair& pair);

/// Returns the smallest relative difference that would count as different with this pair's rounds.
double visible_difference(const Pair& pair, double precision);

/// Returns true if the pair has enough rounds, is not different, and the half-width of its interval
/// is at most twice margin_of().
bool is_tie(const Pair& pair, double precision);

/// Returns the first two measured cases whose outputs differ in a way that the group does not allow
/// (GroupResult::may_differ), so that they must not be ranked. Returns nothing if there are none.
std::optional<Unlike> unlike_ends(const GroupResult& group);

}  // namespace normbench
