/// What the measurements mean: pure functions of Results that give facts. report/ makes the words.
#pragma once

#include "analysis/host_states.h"
#include "analysis/noise.h"
#include "analysis/why/causes.h"
#include "analysis/why/claims.h"

namespace normbench {

/// TooFast: some are faster than their limits, which cannot be, and fewer than two are left to be
/// compared.
/// Busy: others had the processors for so long that too few rounds of a case tell what it takes.
enum class Outcome { NothingRan, Alone, Traced, Busy, Unfair, Winner, Tie, Inconclusive, TooFast };

/// By how much the winner is faster, and than which case.
struct Advantage {
  double factor = 1, low = 1, high = 1;
  int over = 0;
  bool of_baseline = false;  // over the baseline, else over the next
};

/// A case that is slow beyond doubt, and why.
struct Slow {
  int index = 0;
  Cause cause;
  std::vector<Factor> factors;  // from it to the fastest
};

/// What the link would carry with the leanest and with the richest of the cases that were skipped.
struct LinkArithmetic {
  std::string lean, rich;
  std::int64_t least = 0, most = 0;
};

/// Who is fastest, by how much, why, and which claims hold.
struct Verdict {
  Outcome outcome = Outcome::NothingRan;
  std::vector<int> fastest;  // cases that nothing beats: the winner alone, or those tied
  std::string winner;        // variant, or "" when there is none
  std::optional<Unlike> unlike;
  std::optional<Advantage> advantage;  // of the winner
  std::optional<LimitKind> at_limit;   // that the winner reaches
  double widest = 0;                   // of a tie: its cases differ by at most this
  double visible = 0;                  // what an undecided group could have seen
  bool covered = true;                 // its rounds are enough for intervals
  int rounds = 0;                      // of an undecided group, that its cases share
  bool always_first = false;           // where they are not: fastest[0] was so in every round
  Cause bound;                         // of the winner or of the case alone
  std::optional<Slow> slow;
  std::optional<PinningCost> pinning;
  std::optional<PreparingCost> preparing;
  std::vector<int> host_left_out;  // cases whose host stages the deciding clock leaves out
  std::vector<int> on_wall_clock;  // cases without device time, though that decides
  std::optional<LinkArithmetic> link;
  std::vector<Judgement> claims;  // as in the group
};

/// A group of which others held up too many rounds.
struct Busy {
  /// Of two cases of which neither ever blocks.
  struct CpuRatio {
    int index = 0;
    Interval ratio;  // its CPU time over that of the baseline, wider by kProcessEffect
  };
  std::vector<int> cases;        // those with too few rounds left
  double share = 0;              // median of a case's turns for which it had no processor, largest
  std::vector<CpuRatio> by_cpu;  // of cases but the baseline; empty where the baseline may block
};

struct GroupAnalysis {
  std::vector<CaseAnalysis> cases;  // as in the group
  std::vector<CaseNoise> noise;     // as in the group
  DeviceStates device;
  HostStates host;
  std::optional<Busy> busy = {};
  std::vector<Pair> pairs;     // of measured cases, a < b
  double autocorrelation = 0;  // largest lag-1 of the log ratios
  Verdict verdict;
  Quality quality;
};

/// The verdict of one group; `analysis` has cases and pairs filled.
Verdict judge(const GroupResult& group, const GroupAnalysis& analysis, const Results& results);

GroupAnalysis analyse(const GroupResult& group, const Results& results);

}  // namespace normbench
