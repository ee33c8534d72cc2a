/// The single causes a case's time may have. Each is empty when the group's measurements do not
/// show it.
#pragma once

#include "analysis/cause.h"
#include "analysis/subject.h"

namespace normbench {

/// First-touch faults of fresh outputs: their number times what one costs.
Cause page_fault_cause(const Subject& subject);

/// Preparing constants on every call: the case that caches them and does all else alike, else the
/// profile's ranges.
Cause constants_cause(const Subject& subject);

/// Waiting for the GPU: the case that waits less often and does all else alike, else the `launch +
/// sync` limit.
Cause sync_cause(const Subject& subject);

/// Submitting work to a GPU that is idle meanwhile: the time in the calls, else the `launch` limit.
Cause launch_cause(const Subject& subject);

/// One thread: the case with more and all else alike, or a stream with more threads that is faster
/// than the one whose speed the case has.
Cause one_thread_cause(const Subject& subject);

/// The limit of the case reached, memory's or that of launching work; the link has its own cause.
Cause limit_cause(const Subject& subject);

/// Passes over memory that fewer stages would not need. The share of the time is 0 where the
/// limit's rate is not known, or the caches carried some of them.
Cause extra_passes_cause(const Subject& subject);

/// The limits of the stages, which add up to nearly all of the case's time.
Cause floors_cause(const Subject& subject);

}  // namespace normbench
