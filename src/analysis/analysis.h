/// Analyses a group, the cases of an experiment at one point of its sweep. Computes the facts from
/// which report/ makes sentences.
#pragma once

#include <string_view>
#include <unordered_map>

#include "analysis/host_states.h"
#include "analysis/measured_document.h"
#include "analysis/noise.h"
#include "analysis/own_code.h"
#include "analysis/why/causes.h"
#include "analysis/why/claims.h"

namespace normbench {

/// The result of ranking the cases of a group by time. The limit of a case is the time that the
/// machine itself needs to move the same bytes. If a case is faster than its limit, one of the two
/// times must be wrong, so the case is not ranked.
/// - NothingRan: no case was measured.
/// - Alone: only one case was measured.
/// - Traced: a profiling tool was attached, so times cannot be compared.
/// - Busy: other programs used the processors for so long that a case has too few usable rounds.
/// - Unfair: the outputs of two cases differ in dtype, layout, shape or place (host or GPU).
/// - Winner: one case is certainly faster than every other.
/// - Tie: no case wins, and the fastest ones certainly differ by little (is_tie).
/// - Inconclusive: no case wins, and the intervals are too wide for a tie.
/// - TooFast: fewer than two cases are ranked, because the others are faster than their limits.
enum class Outcome { NothingRan, Alone, Traced, Busy, Unfair, Winner, Tie, Inconclusive, TooFast };

/// The winner's advantage over the case with index `over`. `factor` is the time of that case
/// divided by the winner's time, and `low` to `high` is the interval of `factor`.
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

/// The skipped cases that would move the fewest and the most bytes over the link between host and
/// device. Neither was measured, so a report compares only their bytes. `lean` and `rich` are their
/// variants, `least` and `most` their bytes per iteration.
struct LinkArithmetic {
  std::string lean, rich;
  std::int64_t least = 0, most = 0;
};

/// The verdict of a group: the fastest case, its advantage, causes and claims.
struct Verdict {
  Outcome outcome = Outcome::NothingRan;
  std::vector<int> fastest;  // indices of the fastest case and of the cases not certainly slower
  std::string winner;        // variant of the winner, or ""
  std::optional<Unlike> unlike;
  std::optional<Advantage> advantage;  // the winner's
  std::optional<LimitKind> at_limit;   // kind of the limit that the winner reaches; nothing if none
  // The members from `widest` to `always_first` are set only for Tie and Inconclusive. They
  // summarize all pairs of cases in `fastest`. If `fastest` has more than Pairs::most_in_full
  // cases, only the pairs with fastest[0] are computed. `widest` and `visible` are then upper
  // bounds for all pairs, and `rounds` and `covered` describe only the computed pairs.
  double widest = 0;          // largest relative difference that is not ruled out
  double visible = 0;         // smallest relative difference that would be found in every pair
  bool covered = true;        // every pair has enough rounds for an interval
  int rounds = 0;             // smallest number of rounds that a pair has
  bool always_first = false;  // if not `covered`: fastest[0] was the fastest in every round
  // For Tie and Inconclusive: the least factor by which all cases in `fastest` are certainly faster
  // than the baseline. Nothing if one of them is not certainly faster.
  std::optional<double> lead;
  // What explains the time of the winner, or of the only case. If there is neither, this explains
  // the time of fastest[0], but only if that case is a pipeline.
  Cause bound;
  std::optional<Slow> slow;
  std::optional<PinningCost> pinning;
  std::optional<PreparingCost> preparing;
  // Indices of cases. Both lists are empty unless cases are compared by their times on the device
  // (Results::clock).
  std::vector<int> host_left_out;  // cases whose host stages do not count on the device clock
  std::vector<int> on_wall_clock;  // cases without device time, ranked by their wall time
  std::optional<LinkArithmetic> link;
  std::vector<Judgement> claims;  // one for each claim of the group
};

/// What is known of a group in which a case has too few usable rounds, because other programs used
/// the processors.
struct Busy {
  /// The CPU time of a case divided by the CPU time of the baseline. Only for cases that never
  /// block (never_blocks).
  struct CpuRatio {
    int index = 0;
    Interval ratio;  // widened by kProcessEffect, since other programs change CPU times, too
  };
  std::vector<int> cases;  // indices of the cases with too few undisturbed rounds
  // Indices, from `cases`, of the cases with more threads than there are CPUs. Their threads also
  // wait for one another.
  std::vector<int> crowded = {};
  // A turn is what a case does in one round. `crowded_share` is about the cases in `crowded`: the
  // share of a turn in which a thread of the case waited for a CPU. `share` is about all other
  // cases in `cases`: the share of a turn that other programs took from the case. Each is the
  // median over the rounds of a case, for the case with the largest median.
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
  // The index of the first case with each name. The keys point to the names in the group.
  std::unordered_map<std::string_view, int> indices = {};
  // The lag-1 autocorrelation of a case's log ratios to the baseline: the largest over all cases.
  double autocorrelation = 0;
  std::vector<Headspace> headspaces = {};
  Verdict verdict;
  Quality quality;
};

/// Returns the verdict on a group. `analysis` must have its `cases`, `pairs` and `busy` already.
Verdict judge(const GroupResult& group, const GroupAnalysis& analysis,
              const MeasuredDocument& document);

GroupAnalysis analyse(const GroupResult& group, const MeasuredDocument& document);

/// Returns the cases whose pairs a reader looks at first: the baseline, and the fastest case if it
/// is not the baseline.
std::vector<int> cases_of_shown_pairs(const GroupResult& group, const GroupAnalysis& analysis);
/// Returns the pairs that a reader looks at: Pairs::shown() of cases_of_shown_pairs().
std::vector<Pair> shown_pairs(const GroupResult& group, const GroupAnalysis& analysis);
/// Returns the number of pairs that are not among the `shown` ones; 0 if all are shown.
std::int64_t pairs_left_out(const std::vector<Pair>& shown, const GroupAnalysis& analysis);

}  // namespace normbench
