/// Builds a TraceModel from the recordings of the profile pass. Each host thread and each stream of
/// a device becomes a lane. A flow connects a call with the device work that it started.
#pragma once

#include "record/profile_trace.h"
#include "trace/model.h"

namespace normbench {

/// Returns the pid that host process `pid` has in a trace. This is `pid` itself, or a larger number
/// if `pid` is below 16. The reason: in a trace, device n is the process with pid n, so no host
/// process may have such a small pid.
std::int64_t trace_pid(std::int64_t pid);

/// Adds the recorded profile of one case, and a slice with the title of the case. External ids,
/// item ids and correlations are renumbered, so that no two profiles share an id. `pid` is the
/// result of trace_pid() for the host process.
void add_profile(TraceModel& model, const ProfileTrace& profile, std::int64_t pid);

/// Makes the model valid and complete. Call finish_model() once, after the last add_profile().
/// - A CUDA call is clipped to the range (such as a stage) in which it was made. A host slice that
///   ends after its parent is cut at the parent's end.
/// - Slices of a lane that overlap without nesting move to further lanes ("NAME (2)"). Device work
///   also moves, but is never clipped.
/// - Device work that seems to start before its call is moved to the start of the call and keeps
///   its duration. This may let it overlap later work of the stream that it did not overlap before.
///   Such later work is delayed.
/// - Each stream gets an annotation for every step and stage whose work it ran. The annotation
///   starts before the first work and ends after the last work, if neighbouring work leaves room.
/// - Flows, counters, and names of processes and lanes are added.
/// - Losses are counted, and the first losses of each kind are marked.
void finish_model(TraceModel& model);

}  // namespace normbench
