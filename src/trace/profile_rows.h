/// Rows of the profiler table from a trace, made as torch.profiler's key_averages() makes them.
#pragma once

#include <functional>
#include <map>

#include "document/results.h"
#include "trace/model.h"
#include "trace/read/read_trace.h"

namespace normbench {

/// Returns one row for each (name, device, annotation), in order of first appearance. With
/// `by_shape`, calls with different input shapes have rows of their own. The model must be
/// finished.
/// Host rows are the calls of CallTree, including calls of the CUDA runtime. Memory allocated
/// outside of calls has a row "[memory]". An annotation that replaces work (from_marks) has a row
/// like work. Workers, waits for streams, frames of Python and slices of unknown kinds have no
/// row.
std::vector<ProfileRow> profile_rows(const TraceModel& model, bool by_shape = false);

/// Both functions give the rows one by one to `take`. They return the number of pieces of device
/// work that several processes may have submitted. Such work counts for no op. A ReadTrace has no
/// slices any more after the call.
using TakeRow = std::function<void(ProfileRow&&)>;
std::int64_t profile_rows(const TraceModel& model, bool by_shape, const TakeRow& take);
std::int64_t profile_rows(ReadTrace& trace, bool by_shape, const TakeRow& take);

/// Adds the page faults of stages to the rows of the host. `faults` has them by the stages' labels
/// (ProfileTrace::faults).
void add_faults(std::vector<ProfileRow>& rows,
                const std::map<std::string, std::int64_t, std::less<>>& faults);

/// Both return how long device work ran and how long it paused, in the trace's steps. Without
/// steps, they return it for the whole trace.
ProfileTimes profile_times(const TraceModel& model);
ProfileTimes profile_times(const ReadTrace& trace);

/// Both return the number of steps in the trace.
std::int64_t profile_steps(const TraceModel& model);
std::int64_t profile_steps(const ReadTrace& trace);

ProfileLosses profile_losses(const TraceLosses& losses);

}  // namespace normbench
