/// Analyses a group: computes the facts from which report/ makes sentences.
#pragma once

#include <string_view>
#include <unordered_map>

#include "analysis/host_states.h"
#include "analysis/measured_document.h"
#include "analysis/noise.h"
#include "analysis/why/causes.h"
#include "analysis/why/claims.h"

namespace normbench {

/// The result of ranking the cases of a group. Cases that are faster than their limits are not
/// ranked.
/// - NothingRan: no case was measured.
/// - Alone: only one case was measured.
/// - Traced: a profiling tool was attached, so times cannot be compared.
/// - Busy: other programs used the processors for so long that a case has too few usable rounds.
/// - Unfair: the results of two cases differ in dtype, layout, shape or place.
/// - Winner: one case is certainly faster than every other.
/// - Tie: no case wins, and the fastest ones certainly differ by little (is_tie).
/// - Inconclusive: no case wins, and the intervals are too wide for a tie.
/// - TooFast: fewer than two cases are ranked, because the others are faster than their limits.
enum class Outcome { NothingRan, Alone, Traced, Busy, Unfair, Winner, Tie, Inconclusive, TooFast };

/// The winner's advantage over the case with index `over`: `factor` is the time of that case over
/// the winner's time, and `low` to `high` is its interval.
struct Advantage {
  double factor = 1, low = 1, high = 1;
  int over = 0;
  bool of_baseline = false;  // true: `over` is the baseline; false: the next fastest case
};

/// A case that is certainly slower than the fastest one and takes at least 1.1 times as long.
struct Slow {
  int index = 0;
  Cause cause;                  // what explains its time
  std::vector<Factor> factors;  // differences between this case and the fastest one
};

/// The skipped cases that would move the fewest bytes (`lean`, `least`) and the most bytes (`rich`,
/// `most`) over the link in an iteration.
struct LinkArithmetic {
  std::string lean, rich;
  std::int64_t least = 0, most = 0;
};

/// The verdict of a group: the fastest case, its advantage, causes and claims.
struct Verdict {
  Outcome outcome = Outcome::NothingRan;
  std::vector<int> fastest;  // indices of the fastest case and of those not certainly slower
  std::string winner;        // variant of the winner, or ""
  std::optional<Unlike> unlike;
  std::optional<Advantage> advantage;  // the winner's
  std::optional<LimitKind> at_limit;   // kind of the limit that the winner reaches
  // The next five are set only for Tie and Inconclusive, over all pairs of cases in `fastest`. With
  // more than Pairs::most_in_full cases, they come from the pairs with fastest[0]: `widest` and
  // `visible` are then upper bounds, and `rounds` and `covered` are of these pairs.
  double widest = 0;          // largest relative difference that is not ruled out
  double visible = 0;         // smallest relative difference that every pair would have shown
  bool covered = true;        // every pair has enough rounds for an interval
  int rounds = 0;             // smallest number of rounds that a pair has
  bool always_first = false;  // if not `covered`: fastest[0] was the fastest in every round
  // Cause of the time of the winner or the only case. Without these, of fastest[0] if it is a
  // pipeline.
  Cause bound;
  std::optional<Slow> slow;
  std::optional<PinningCost> pinning;
  std::optional<PreparingCost> preparing;
  // Indices, only if the device clock decides.
  std::vector<int> host_left_out;  // cases whose host stages do not count on the device clock
  std::vector<int> on_wall_clock;  // cases without device time, ranked by their wall time
  std::optional<LinkArithmetic> link;
  std::vector<Judgement> claims;  // one for each claim of the group
};

/// What is known of a group in which other programs held up too many rounds of a case.
struct Busy {
  /// The CPU time of a case over that of the baseline. Only for cases that never block
  /// (never_blocks).
  struct CpuRatio {
    int index = 0;
    Interval ratio;  // widened by kProcessEffect, since other programs change CPU times, too
  };
  std::vector<int> cases;  // indices of the cases with too few undisturbed rounds
  // Indices of the busy cases with more threads than CPUs: their threads wait for one another.
  std::vector<int> crowded = {};
  // Largest over the other cases: the median share of a turn that other programs took; and over
  // the crowded ones: the median share in which a thread waited for a CPU.
  double share = 0, crowded_share = 0;
  // One for each case that never blocks, except the baseline. Empty if the baseline may block.
  std::vector<CpuRatio> by_cpu;
};

struct GroupAnalysis {
  std::vector<CaseAnalysis> cases;  // one for each case of the group
  std::vector<CaseNoise> noise;     // one for each case of the group
  DeviceStates device;
  HostStates host;
  std::optional<Busy> busy = {};
  Pairs pairs;
  // The index of the first case with each name. Points to the names in the group.
  std::unordered_map<std::string_view, int> indices = {};
  // Largest over the cases: the lag-1 autocorrelation of the log ratios to the baseline.
  double autocorrelation = 0;
  Verdict verdict;
  Quality quality;
};

/// Returns the verdict on a group. `analysis` must have its `cases`, `pairs` and `busy` already.
Verdict judge(const GroupResult& group, const GroupAnalysis& analysis,
              const MeasuredDocument& document);

GroupAnalysis analyse(const GroupResult& group, const MeasuredDocument& document);

/// Returns the cases whose pairs a reader looks at first: the baseline, and the fastest case if it
/// is another one.
std::vector<int> cases_of_shown_pairs(const GroupResult& group, const GroupAnalysis& analysis);
/// Returns the pairs that a reader looks at: Pairs::shown() with these cases.
std::vector<Pair> shown_pairs(const GroupResult& group, const GroupAnalysis& analysis);
/// Returns the number of pairs that are not among the `shown` ones; 0 if all are shown.
std::int64_t pairs_left_out(const std::vector<Pair>& shown, const GroupAnalysis& analysis);

}  // namespace normbench
