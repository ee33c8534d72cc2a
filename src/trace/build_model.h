/// Builds a TraceModel from the recordings of the profile pass. Each host thread and each stream of
/// a device becomes a lane. Flows connect calls with the device work that they started.
#pragma once

#include "record/profile_trace.h"
#include "trace/model.h"

namespace normbench {

/// Returns the pid that process `pid` has in a trace: `pid` itself, or a larger number if `pid` is
/// below 16. Small pids are kept free because a trace shows device n as the process with pid n.
std::int64_t trace_pid(std::int64_t pid);

/// Adds the recorded profile of one case, and a slice with the title of the case. External ids,
/// item ids and correlations are renumbered, so that no two profiles share an id. `pid` is the
/// result of trace_pid() for the host process.
void add_profile(TraceModel& model, const ProfileTrace& profile, std::int64_t pid);

/// Makes the model valid and complete. Call this once, after the last add_profile().
/// - A CUDA call is clipped to the range (such as a stage) in which it was made. A host slice that
///   ends after its parent is cut at the parent's end.
/// - Slices of a lane that overlap without nesting move to further lanes ("NAME (2)"). Device work
///   also moves, but is never clipped.
/// - Device work that seems to start before its call is moved to the call's start and keeps its
///   duration. If later work of the stream would then overlap it, but did not before, the later
///   work is delayed.
/// - Each stream gets an annotation for every step and stage whose work it ran. The annotation
///   starts before the first work and ends after the last, if neighbouring work leaves room.
/// - Flows, counters, and names of processes and lanes are added.
/// - Losses are counted, and the first ones of each kind are marked.
void finish_model(TraceModel& model);

}  // namespace normbench
