/// The ledger of what disturbed a case: pure functions of its rounds. Rounds are flagged, counted
/// and shown; only the flag `held up` excludes a round from what decides.
#pragma once

#include <map>

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// Why a round is flagged.
enum class Flag {
  Stolen,
  Throttled,
  HeldUp,
  Preempted,
  SlowClock,
  Outlier,
  DeviceClock,
  DeviceThrottled
};

struct CaseNoise {
  int rounds = 0;                  // 0 for a case that was not measured; then the rest says nothing
  Counters counters;               // over all rounds
  std::int64_t frequency_khz = 0;  // median; 0 where the machine does not say
  double frequency_spread = 0;     // highest less lowest, over the median
  // Shares of the time between the ends of turns; several processors together may exceed 1.
  double steal_share = 0, throttled_share = 0;
  std::map<Flag, std::vector<int>> flagged;  // rounds by reason, in order; reasons that occur
  std::vector<int> disturbed;                // rounds with any of these
  double autocorrelation = 0;  // lag 1, of the log ratios to the baseline or of its log times
  std::optional<Interval> drift;        // time of the last third over the first's; needs 18 rounds
  bool drifts = false;                  // that interval excludes 1 by more than the precision
  std::optional<Interval> undisturbed;  // the ratio without rounds flagged in either case
  bool sensitive = false;  // disturbances moved the ratio by over half its interval's width
};

/// The noise of every case of the group. Rounds have these flags:
/// - stolen, throttled: the machine counted such time in the turn or its warm-up.
/// - held up: others had a processor of the turn for so long that it is no replicate (is_held_up).
/// - preempted: more involuntary switches than is usual, and more than 2 % slower than the rounds
///   with the usual ones. Usual is the lower quartile, since neighbours may disturb most rounds,
///   and up to three of its square roots more, as a Poisson process gives.
/// - slow clock: more than 2 % below the case's median frequency.
/// - outlier: slow, with a modified z-score of the log time above 3.5 (Iglewicz and Hoaglin, 1993).
/// - device clock: the GPU's was more than 2 % off the median of the group's turns. It is the one
///   that it had over the turn; where that was not counted, the one at its end.
/// - device throttled: for a reason that other turns of the group did not have.
std::vector<CaseNoise> noise_of(const GroupResult& group, const Results& results);

/// What a group's turns and their ends found the GPU in, and what held its clocks back in its
/// rounds; all zeros where nothing was read.
struct DeviceStates {
  int turns = 0, read = 0;  // on the GPU, and of which the state was read
  bool over_turns = false;  // clocks are those that turns had, not those at their ends
  std::int64_t low_mhz = 0, middle_mhz = 0, high_mhz = 0;  // SM clock
  std::int64_t low_c = 0, high_c = 0;
  // Reasons that held the clocks back in all turns, and in only some. Idling is no reason.
  std::int64_t always_bits = 0, sometimes_bits = 0;
  std::int64_t slowest_ns = 0;  // of the readings
  // From the first round to the last; for how long of that which reasons held the clocks back.
  std::int64_t rounds_ns = 0;
  std::map<std::string, std::int64_t> held_back_ns = {};

  bool clock_changed() const;  // by more than 2 % of its median
  bool warmed() const;         // by 10 C or more
  bool changed() const { return clock_changed() || warmed() || sometimes_bits != 0; }
};
DeviceStates device_states(const GroupResult& group);

/// How far the numbers of a group can be trusted.
struct Quality {
  bool of_ratios = false;  // else of times, with fewer than two measured cases
  double half_width = 0;   // widest of the ratios' or times' intervals
  bool quick = false;      // a quick run: its intervals are wide
  bool noisy = false;      // for one of the reasons below
  double spread = 0;       // middle half of a case's rounds over their median, largest
  int rounds = 0, disturbed = 0;
  std::map<Flag, std::size_t> flagged;
  double drift = 0;  // the largest drift of a case that drifts
};

/// Completes `measured`. The machine was noisy where the rounds of a case spread wide, intervals
/// stayed wide, a tenth of the rounds is flagged, or a case drifts.
Quality quality_of(Quality measured, const std::vector<CaseNoise>& noise, double precision,
                   bool quick);

}  // namespace normbench
