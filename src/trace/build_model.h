/// Makes the model of what the profile pass recorded: threads become lanes, device records become
/// lanes of streams, calls and the work that they started become flows.
#pragma once

#include "record/profile_trace.h"
#include "trace/model.h"

namespace normbench {

/// A process's number in traces: its own. Devices have the numbers from 0 on, so it is moved where
/// it is as small (the first processes of a container).
std::int64_t trace_pid(std::int64_t pid);

/// Adds the recorded profile of one case, under a title on a lane of titles. Profiles do not
/// mix: names, lanes and correlations get new numbers. `pid` is the host process (see
/// trace_pid).
void add_profile(TraceModel& model, const ProfileTrace& profile, std::int64_t pid);

/// Makes the model valid and complete, once, after the last add_profile():
/// - calls are clipped into the ranges that they were made in, children into their parents; host
///   slices that overlap without nesting go to further lanes ("NAME (2)"), and so does device work,
///   which is never clipped;
/// - device work does not start before its call: it is shown at the call's start, as long as it
///   was, and what followed it on its stream still follows;
/// - steps and stages get annotations on the streams that did their work, strictly around it where
///   the stream leaves room;
/// - flows, also between an item's stages, counters, names of processes; losses, with marks at the first places of each kind.
void finish_model(TraceModel& model);

}  // namespace normbench
