/// Rounds that took longer because others used the processors. They are kept and shown, but are not
/// counted as samples of a case's time.
#pragma once

#include "document/results.h"

namespace normbench {

/// From this share of a turn on, others had the processor for so long that the turn says nothing.
inline constexpr double held_up_share = 0.03;

/// The fewest rounds that make an interval at `decision_level`.
inline constexpr std::size_t fewest_left_alone = 6;

/// True where a case is one thread of this process on the CPU, without files,
/// items in flight or peers. On an idle machine its CPU time is then its wall
/// time.
bool never_blocks(const CaseResult& result);

/// The share of a turn for which one of its threads waited for a processor. For a case that
/// never blocks it is the share in which its thread did not run, a hypervisor's steal included.
/// For others it is read from outside, so that waits between the turn and the readings count,
/// too.
double others_share(const CaseResult& result, const Round& round);

/// True where others' share of a round is `held_up_share` or more, and its wall time decides.
bool is_held_up(const CaseResult& result, const Round& round, DecidingClock clock);

/// True where others left fewer than `fewest_left_alone` of a case's rounds alone though it has
/// that many, or left none alone.
bool is_busy(const CaseResult& result, DecidingClock clock);

}  // namespace normbench
