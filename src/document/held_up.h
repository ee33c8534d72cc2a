/// Rounds that others' use of the processors made longer: they are kept and shown, but are no
/// replicates of what a case takes.
#pragma once

#include "document/results.h"

namespace normbench {

/// From this share of a turn on, others had the processor for so long that the turn tells nothing.
inline constexpr double held_up_share = 0.03;

/// Fewer rounds than that make no interval at `decision_level`.
inline constexpr std::size_t fewest_left_alone = 6;

/// True where all of a case's time is one thread's on a processor, so that its CPU time is what the
/// turn takes where nobody else runs: one thread of this process, on the CPU, without files, items
/// in flight or peers.
bool never_blocks(const CaseResult& result);

/// The share of a turn for which one of its threads waited for a processor. Of a case that never
/// blocks that is the share for which its thread had none, which a hypervisor's steal is part of;
/// of others it is read from outside, so that what comes between the turn and the readings counts,
/// too.
double others_share(const CaseResult& result, const Round& round);

/// True where that is `held_up_share` or more of a round whose wall time decides.
bool is_held_up(const CaseResult& result, const Round& round, DecidingClock clock);

/// True where fewer than `fewest_left_alone` of its rounds were left alone, though it has as many,
/// or none.
bool is_busy(const CaseResult& result, DecidingClock clock);

}  // namespace normbench
