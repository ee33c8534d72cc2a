/// Rounds that took longer because other programs used the processors. They are kept and shown, but
/// do not count for a case's time.
#pragma once

#include "document/results.h"

namespace normbench {

/// If other programs had the processor for this share of a turn or more, the turn does not count.
inline constexpr double held_up_share = 0.03;

/// The fewest rounds from which an interval at `decision_level` can be computed.
inline constexpr std::size_t fewest_left_alone = 6;

/// Returns true if a case runs in one thread of this process on the CPU, without files, items in
/// flight or peers. On an idle machine the CPU time of such a case equals its wall time.
bool never_blocks(const CaseResult& result);

/// Returns the share of a turn that other programs took from the case. For a case that never blocks
/// it is the share in which its thread did not run, including time stolen by a hypervisor. For any
/// other case it is the share in which one of its threads waited for a processor. The waiting time
/// is read before and after the turn, so waits between the turn and the readings count too.
double others_share(const CaseResult& result, const Round& round);

/// Returns true if others_share() is at least `held_up_share` and the round's wall time decides.
bool is_held_up(const CaseResult& result, const Round& round, DecidingClock clock);

/// Returns true if fewer than `fewest_left_alone` rounds of a case are not held up (is_held_up()).
/// A case with fewer than `fewest_left_alone` rounds is busy only if all of them are held up.
bool is_busy(const CaseResult& result, DecidingClock clock);

}  // namespace normbench
