/// The analysis of groups: facts computed from Results. report/ makes sentences of them.
#pragma once

#include "analysis/host_states.h"
#include "analysis/noise.h"
#include "analysis/why/causes.h"
#include "analysis/why/claims.h"

namespace normbench {

/// How a group ended. TooFast: fewer than two cases are left, since others were faster than their
/// limits, which is impossible. Busy: other programs used the processors for so long that a case
/// has too few usable rounds.
enum class Outcome { NothingRan, Alone, Traced, Busy, Unfair, Winner, Tie, Inconclusive, TooFast };

/// How much faster the winner is, and which case it is compared with.
struct Advantage {
  double factor = 1, low = 1, high = 1;
  int over = 0;
  bool of_baseline = false;  // true: `over` is the baseline; false: the next fastest case
};

/// A case that is certainly slow, and the cause.
struct Slow {
  int index = 0;
  Cause cause;
  std::vector<Factor> factors;  // differences from this case to the fastest one
};

/// The skipped cases that need the fewest and the most bytes over the link.
struct LinkArithmetic {
  std::string lean, rich;
  std::int64_t least = 0, most = 0;
};

/// The verdict of a group: the fastest case, its advantage, causes and claims.
struct Verdict {
  Outcome outcome = Outcome::NothingRan;
  std::vector<int> fastest;  // indices of the cases that no case beats: the winner, or several
  std::string winner;        // variant of the winner; "" if there is none
  std::optional<Unlike> unlike;
  std::optional<Advantage> advantage;  // the winner's
  std::optional<LimitKind> at_limit;   // kind of the limit that the winner reaches
  double widest = 0;                   // without a winner: largest difference not ruled out
  double visible = 0;                  // without a winner: smallest difference that could be seen
  bool covered = true;                 // all pairs of `fastest` have enough rounds for an interval
  int rounds = 0;                      // without a winner: fewest rounds that two cases share
  bool always_first = false;  // fastest[0] led in every round; set only if `covered` is false
  Cause bound;                         // what bounds the time of the winner, or of the only case
  std::optional<Slow> slow;
  std::optional<PinningCost> pinning;
  std::optional<PreparingCost> preparing;
  std::vector<int> host_left_out;  // cases whose host stages the deciding device clock ignores
  std::vector<int> on_wall_clock;  // cases without device time, if the device clock decides
  std::optional<LinkArithmetic> link;
  std::vector<Judgement> claims;  // one for each claim of the group
};

/// A group in which other programs held up too many rounds.
struct Busy {
  /// A case and its CPU time over the baseline's. Neither of the two ever blocks.
  struct CpuRatio {
    int index = 0;
    Interval ratio;  // of the CPU times, widened by kProcessEffect
  };
  std::vector<int> cases;  // indices of the cases with too few rounds left
  double share = 0;        // largest median share of a turn that other programs took
  // The other cases that never block. Empty if the baseline may block.
  std::vector<CpuRatio> by_cpu;
};

struct GroupAnalysis {
  std::vector<CaseAnalysis> cases;  // one for each case of the group
  std::vector<CaseNoise> noise;     // one for each case of the group
  DeviceStates device;
  HostStates host;
  std::optional<Busy> busy = {};
  std::vector<Pair> pairs;     // all pairs of measured cases, with a < b
  double autocorrelation = 0;  // largest lag-1 autocorrelation of the log ratios to the baseline
  Verdict verdict;
  Quality quality;
};

/// Judges one group. `analysis` must have its cases, noise and pairs already.
Verdict judge(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

GroupAnalysis analyse(const GroupResult& group, const Results& results);

}  // namespace normbench
