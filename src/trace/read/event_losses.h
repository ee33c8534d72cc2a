/// What a trace file shows to be missing in it.
#pragma once

#include "trace/model.h"

namespace normbench {

/// Calls that start device work against the work that is there, by correlation, as finish_model()
/// counts them, and work that begins before its call; nothing for a trace without work of a device,
/// or without calls.
TraceLosses losses_of(const TraceModel& model);

/// The losses that normbench wrote of its own trace; 0 for those that it did not.
TraceLosses losses_said(const Json& about);

}  // namespace normbench
