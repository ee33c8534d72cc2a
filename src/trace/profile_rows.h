/// The profiler table's rows from a trace, as torch.profiler's key_averages() makes them.
#pragma once

#include <functional>
#include <map>

#include "document/results.h"
#include "trace/model.h"
#include "trace/read/read_trace.h"

namespace normbench {

/// One row per (name, device, annotation), with `by_shape` per shapes too, in order of first
/// appearance. The model is finished. Host rows are the calls of CallTree, those of the CUDA
/// runtime among them; what was allocated in none of them has a row "[memory]". Where a device's
/// times are from marks, these have rows as work has. Workers, waits of streams, frames of Python
/// and slices of unknown kinds have none.
std::vector<ProfileRow> profile_rows(const TraceModel& model, bool by_shape = false);

/// The same one by one, each given to `take`. Gives the number of pieces of device work that
/// several processes may have submitted, which are no op's. Of a trace that was read the slices are
/// gone then.
using TakeRow = std::function<void(ProfileRow&&)>;
std::int64_t profile_rows(const TraceModel& model, bool by_shape, const TakeRow& take);
std::int64_t profile_rows(ReadTrace& trace, bool by_shape, const TakeRow& take);

/// Adds page faults of stages by their labels (ProfileTrace::faults) to the rows of the host.
void add_faults(std::vector<ProfileRow>& rows,
                const std::map<std::string, std::int64_t, std::less<>>& faults);

/// Unions and gaps of the device work within the trace's steps, without steps within all of it.
ProfileTimes profile_times(const TraceModel& model);
ProfileTimes profile_times(const ReadTrace& trace);

/// How many steps the trace has.
std::int64_t profile_steps(const TraceModel& model);
std::int64_t profile_steps(const ReadTrace& trace);

ProfileLosses profile_losses(const TraceLosses& losses);

}  // namespace normbench
