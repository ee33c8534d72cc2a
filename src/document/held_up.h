/// Rounds that other programs slowed down by using the processors. They are kept and shown, but do
/// not count for the time of a case.
#pragma once

#include "document/results.h"

namespace normbench {

/// A turn does not count if other programs had the processor for this share of it or more.
inline constexpr double held_up_share = 0.03;

/// The smallest number of rounds from which an interval at `decision_level` can be computed.
inline constexpr std::size_t fewest_left_alone = 6;

/// Returns true if a case runs in one thread of this process on the CPU and never waits: without
/// files, items in flight or peers. Without other programs its CPU time equals its wall time.
bool never_blocks(const CaseResult& result);

/// Returns the share of a turn that other programs took from the case:
/// - for a case that never_blocks(), the share in which its thread did not run, or a hypervisor ran
///   other machines;
/// - for any other case, the share in which one of its threads waited for a processor. This time is
///   read before and after the turn, so it also has waits just outside of the turn.
double others_share(const CaseResult& result, const Round& round);

/// Returns true if others_share() is at least `held_up_share` and the wall time of the round
/// counts: `clock` is Wall, or the round has no device time.
bool is_held_up(const CaseResult& result, const Round& round, DecidingClock clock);

/// Returns true if other programs disturbed too many rounds of the case:
/// - all rounds are held up, or
/// - the case has at least `fewest_left_alone` rounds, but fewer than that are not held up.
/// Returns false for a case without rounds.
bool is_busy(const CaseResult& result, DecidingClock clock);

}  // namespace normbench
