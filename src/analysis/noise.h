/// What disturbed a case, computed from its rounds. In each round, each case and each limit of the
/// group has one turn. Disturbed rounds are flagged, counted and shown. A verdict leaves out only
/// the rounds with the flag `held up`.
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
  int rounds = 0;                  // 0 if the case was not measured; no other member is set then
  Counters counters;               // sum over all rounds
  std::int64_t frequency_khz = 0;  // median over the rounds; 0 if the machine does not report it
  double frequency_spread = 0;     // (highest - lowest frequency) / median
  // Stolen and throttled time of all processors, divided by the time over which it was counted. The
  // shares may exceed 1, since the times of the processors are summed.
  double steal_share = 0, throttled_share = 0;
  std::map<Flag, std::vector<int>> flagged;  // ascending indices of the rounds with each flag
  std::vector<int> disturbed;                // ascending indices of the rounds with any flag
  // The lag-1 autocorrelation: of the log ratios to the baseline, or of the log times if the case
  // is the baseline or there is no baseline.
  double autocorrelation = 0;
  // The case's time in the last third of the rounds over its time in the first third. Nothing for
  // fewer than 18 rounds.
  std::optional<Interval> drift;
  // The interval of `drift` does not contain 1, and `drift` differs from 1 by more than the target
  // precision (precision_of).
  bool drifts = false;
  // Ratio to the baseline, without the rounds that are flagged for this case or for the baseline.
  std::optional<Interval> undisturbed;
  // `undisturbed` differs from the ratio over all rounds by more than the half-width of that
  // ratio's interval.
  bool sensitive = false;
};

/// Returns the noise of every case of the group. The flags of a round mean:
/// - stolen: a hypervisor took processor time since the end of the previous turn.
/// - throttled: the container's CPU quota stopped processes since the end of the previous turn.
/// - held up: other programs had a processor for so long that the round does not count
///   (is_held_up).
/// - preempted: the round has an unusual number of involuntary switches, and is more than 2 %
///   slower than the rounds with a usual number. A usual number is at most q + 3 * sqrt(q), as for
///   a Poisson process, where q is the lower quartile over the rounds. The median is not used,
///   because other programs may disturb most rounds.
/// - slow clock: the frequency is more than 2 % below the case's median.
/// - outlier: the modified z-score of the logarithm of the round's time exceeds 3.5 (Iglewicz and
///   Hoaglin, 1993).
/// - device clock: the GPU's clock is more than 2 % off the median of the group's turns. The clock
///   of a turn is its mean, or its value at the end of the turn if the group has no means.
/// - device throttled: the GPU was throttled for a reason that not all turns of the group had.
std::vector<CaseNoise> noise_of(const GroupResult& group, const Results& results);

/// The states of the GPU in a group's turns, and what held its clocks back. Clocks, temperatures
/// and bits are 0 if they were not read.
struct DeviceStates {
  int turns = 0, read = 0;  // number of turns on the GPU, and how many of their states were read
  bool over_turns = false;  // true: clocks are means over turns; false: read at the ends of turns
  // Lowest, median and highest SM clock; lowest and highest temperature in degrees Celsius.
  std::int64_t low_mhz = 0, middle_mhz = 0, high_mhz = 0;
  std::int64_t low_c = 0, high_c = 0;
  // Bits of throttle reasons in all turns, and in only some turns. Idleness is not counted as a
  // reason.
  std::int64_t always_bits = 0, sometimes_bits = 0;
  std::int64_t slowest_ns = 0;  // longest time that one reading of the state took
  // Time in ns from the start of the first turn to the end of the last one, and how long each
  // throttle reason held the clocks back in that time.
  std::int64_t rounds_ns = 0;
  std::map<std::string, std::int64_t> held_back_ns = {};

  bool clock_changed() const;  // lowest or highest clock is more than 2 % off the median
  bool warmed() const;         // temperatures differ by 10 degrees Celsius or more
  bool changed() const { return clock_changed() || warmed() || sometimes_bits != 0; }
};
DeviceStates device_states(const GroupResult& group);

/// The quality of a group's measurements.
struct Quality {
  // True: `half_width` is of ratios to the baseline. False: it is of times, because there are no
  // pairs or the baseline was not measured.
  bool of_ratios = false;
  double half_width = 0;  // widest half-width of the cases' intervals
  bool quick = false;     // --quick was given: intervals are wide
  bool noisy = false;     // the machine was noisy (see quality_of)
  double spread = 0;      // largest interquartile range of a case's times, over their median
  int rounds = 0, disturbed = 0;
  std::map<Flag, std::size_t> flagged;
  double drift = 0;  // largest relative drift of a case that drifts; 0: none does
};

/// Returns `measured` with all members set; the caller has set `of_ratios`, `half_width` and
/// `spread`. The machine was noisy if `spread` exceeds 10 %, `half_width` exceeds twice the
/// precision, more than a tenth of the rounds is flagged, or a case drifts.
Quality quality_of(Quality measured, const std::vector<CaseNoise>& noise, double precision,
                   bool quick);

}  // namespace normbench
