/// Makes the model from what the profile pass recorded. Threads become lanes, device records become
/// lanes of streams. Flows connect calls with the work that they started.
#pragma once

#include "record/profile_trace.h"
#include "trace/model.h"

namespace normbench {

/// Returns the number of process `pid` in traces: `pid` itself, or a larger number for a small pid
/// (of the first processes of a container), because devices have the numbers from 0 on.
std::int64_t trace_pid(std::int64_t pid);

/// Adds the recorded profile of one case, with a title on the lane of titles. External ids, items
/// and correlations get new numbers, so that profiles do not mix. `pid` is the number of the host
/// process (see trace_pid()).
void add_profile(TraceModel& model, const ProfileTrace& profile, std::int64_t pid);

/// Makes the model valid and complete. Call this once, after the last add_profile().
/// - Calls are clipped into the ranges in which they were made, and children into their parents.
/// - Host slices that overlap without nesting go to further lanes ("NAME (2)"). So does device
///   work, which is never clipped.
/// - Device work does not start before its call. It is moved to the call's start, with its
///   duration. Work that followed it on its stream still follows it.
/// - Steps and stages get annotations on the streams that did their work. An annotation strictly
///   encloses the work if the stream leaves room.
/// - Flows (also between an item's stages), counters and names of processes are added.
/// - Losses are counted. Marks show the first places of each kind of loss.
void finish_model(TraceModel& model);

}  // namespace normbench
