/// What the measurements mean: pure functions of Results that give facts. report/ makes sentences.
#pragma once

#include "analysis/host_states.h"
#include "analysis/noise.h"
#include "analysis/why/causes.h"
#include "analysis/why/claims.h"

namespace normbench {

/// How a group ended. TooFast: some cases are faster than their limits, which cannot be, and fewer
/// than two others are left. Busy: others had the processors for so long that too few rounds of a
/// case are usable.
enum class Outcome { NothingRan, Alone, Traced, Busy, Unfair, Winner, Tie, Inconclusive, TooFast };

/// How much faster the winner is, and than which case.
struct Advantage {
  double factor = 1, low = 1, high = 1;
  int over = 0;
  bool of_baseline = false;  // over the baseline, else over the next
};

/// A case that is certainly slow, and why.
struct Slow {
  int index = 0;
  Cause cause;
  std::vector<Factor> factors;  // from it to the fastest
};

/// The link bytes of the skipped cases with the least and the most of them.
struct LinkArithmetic {
  std::string lean, rich;
  std::int64_t least = 0, most = 0;
};

/// Who is fastest, by how much, why, and which claims hold.
struct Verdict {
  Outcome outcome = Outcome::NothingRan;
  std::vector<int> fastest;  // cases that nothing beats: the winner, or those tied
  std::string winner;        // variant, or "" when there is none
  std::optional<Unlike> unlike;
  std::optional<Advantage> advantage;  // the winner's
  std::optional<LimitKind> at_limit;   // the kind of limit that the winner reaches
  double widest = 0;                   // in a tie: its cases differ by at most this
  double visible = 0;                  // what an undecided group could have seen
  bool covered = true;                 // there are enough rounds for intervals
  int rounds = 0;                      // in an undecided group: rounds that its cases share
  bool always_first = false;           // too few rounds, and fastest[0] led in every one
  Cause bound;                         // the winner's, or the only case's
  std::optional<Slow> slow;
  std::optional<PinningCost> pinning;
  std::optional<PreparingCost> preparing;
  std::vector<int> host_left_out;  // cases with host stages that the deciding clock ignores
  std::vector<int> on_wall_clock;  // cases without device time though it decides
  std::optional<LinkArithmetic> link;
  std::vector<Judgement> claims;  // as in the group
};

/// A group in which others held up too many rounds.
struct Busy {
  /// CPU times of two cases that never block.
  struct CpuRatio {
    int index = 0;
    Interval ratio;  // its CPU time over the baseline's, wider by kProcessEffect
  };
  std::vector<int> cases;        // cases with too few rounds left
  double share = 0;              // largest median share of a case's turns without a processor
  std::vector<CpuRatio> by_cpu;  // all cases but the baseline; empty where that may block
};

struct GroupAnalysis {
  std::vector<CaseAnalysis> cases;  // as in the group
  std::vector<CaseNoise> noise;     // as in the group
  DeviceStates device;
  HostStates host;
  std::optional<Busy> busy = {};
  std::vector<Pair> pairs;     // pairs of measured cases, a < b
  double autocorrelation = 0;  // largest lag-1 of the log ratios
  Verdict verdict;
  Quality quality;
};

/// The verdict of one group, of which `analysis` has the cases and pairs already.
Verdict judge(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

GroupAnalysis analyse(const GroupResult& group, const Results& results);

}  // namespace normbench
