/// Makes the rows of the profiler table from a trace, in the same way as torch.profiler's
/// key_averages().
#pragma once

#include <functional>
#include <map>

#include "document/results.h"
#include "trace/model.h"
#include "trace/read/read_trace.h"

namespace normbench {

/// Returns the rows in order of first appearance. Two calls share a row if they have the same name,
/// run in the same place (host or device), and are both annotations or both not. With `by_shape`,
/// they must also have the same input shapes. finish_model() must have been called.
/// - A host row sums the calls in CallTree (the tree of nested calls of a thread) that share the
///   row. CUDA calls are in this tree, too.
/// - Memory that was allocated outside of calls is in a row "[memory]".
/// - An annotation whose times are from CUDA events (`DeviceDetails::from_marks`) counts as device
///   work.
/// - Slices of worker threads, waits for streams, Python frames and slices of kind Other have no
///   row.
std::vector<ProfileRow> profile_rows(const TraceModel& model, bool by_shape = false);

/// The next two functions call `take` with each row. They return how many pieces of device work are
/// assigned to no op, because several processes may have submitted them. The function for a
/// ReadTrace also removes the slices from `trace`.
using TakeRow = std::function<void(ProfileRow&&)>;
std::int64_t profile_rows(const TraceModel& model, bool by_shape, const TakeRow& take);
std::int64_t profile_rows(ReadTrace& trace, bool by_shape, const TakeRow& take);

/// Adds the numbers of page faults to the host rows of stages. `faults` maps the label of a stage
/// to its number of page faults (see ProfileTrace::faults).
void add_faults(std::vector<ProfileRow>& rows,
                const std::map<std::string, std::int64_t, std::less<>>& faults);

/// Both functions return how long device work ran and how long it paused during the steps of the
/// trace (the slices "ProfilerStep#..."). If the trace has no steps, the times are for the whole
/// trace.
ProfileTimes profile_times(const TraceModel& model);
ProfileTimes profile_times(const ReadTrace& trace);

/// Both functions return the number of steps in the trace.
std::int64_t profile_steps(const TraceModel& model);
std::int64_t profile_steps(const ReadTrace& trace);

ProfileLosses profile_losses(const TraceLosses& losses);

}  // namespace normbench
