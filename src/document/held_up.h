/// Rounds that other programs slowed down by using the processors. Such rounds are kept and shown,
/// but do not count for the time of a case.
#pragma once

#include "document/results.h"

namespace normbench {

/// A turn (the run of a case in one round) does not count if other programs had its processor for
/// at least this share of the turn's time.
inline constexpr double held_up_share = 0.03;

/// The smallest number of rounds from which a confidence interval at `decision_level`
/// (statistics.h) can be computed.
inline constexpr std::size_t fewest_left_alone = 6;

/// Returns true if a case runs in one thread of this process on the CPU and never waits: it has no
/// files, no items in flight and no peer. If no other program disturbs such a case, its CPU time
/// equals its wall time.
bool never_blocks(const CaseResult& result);

/// Returns the share of a turn that other programs took from the case:
/// - If never_blocks() is true and the CPU time is known: the share in which the thread of the case
///   did not run, or a hypervisor ran other machines.
/// - Otherwise: the share in which one of the threads of the case waited for a processor
///   (Round::queued_ns). The waiting times are read just before and just after the turn, so the
///   share includes waits just outside of the turn.
double others_share(const CaseResult& result, const Round& round);

/// Returns true if others_share() is at least `held_up_share` and the wall time of the round
/// counts. The wall time counts if `clock` is Wall or if the round has no device time.
bool is_held_up(const CaseResult& result, const Round& round, DecidingClock clock);

/// Returns true if other programs disturbed too many rounds of the case:
/// - all rounds are held up, or
/// - the case has at least `fewest_left_alone` rounds, but fewer than `fewest_left_alone` of them
///   are not held up.
/// Returns false for a case without rounds.
bool is_busy(const CaseResult& result, DecidingClock clock);

}  // namespace normbench
