/// The profiler table's rows of a trace, made as torch.profiler's key_averages() makes them.
#pragma once

#include <functional>
#include <map>

#include "document/results.h"
#include "trace/model.h"
#include "trace/read/read_trace.h"

namespace normbench {

/// One row per (name, device, annotation), with `by_shape` also per shapes, in order of first
/// appearance. The model must be finished. Host rows are the calls of CallTree, with those of the
/// CUDA runtime; memory allocated outside of them has a row "[memory]". Where a device's times come
/// from marks, these have rows as work has. Workers, waits for streams, frames of Python and slices
/// of unknown kinds have no row.
std::vector<ProfileRow> profile_rows(const TraceModel& model, bool by_shape = false);

/// Gives the rows one by one to `take`. Returns how many pieces of device work several
/// processes may have submitted; they count for no op. The slices of a trace that was read are
/// gone then.
using TakeRow = std::function<void(ProfileRow&&)>;
std::int64_t profile_rows(const TraceModel& model, bool by_shape, const TakeRow& take);
std::int64_t profile_rows(ReadTrace& trace, bool by_shape, const TakeRow& take);

/// Adds page faults of stages by their labels (ProfileTrace::faults) to the rows of the host.
void add_faults(std::vector<ProfileRow>& rows,
                const std::map<std::string, std::int64_t, std::less<>>& faults);

/// Unions and gaps of the device work in the trace's steps; without steps in all of it.
ProfileTimes profile_times(const TraceModel& model);
ProfileTimes profile_times(const ReadTrace& trace);

/// The number of steps in the trace.
std::int64_t profile_steps(const TraceModel& model);
std::int64_t profile_steps(const ReadTrace& trace);

ProfileLosses profile_losses(const TraceLosses& losses);

}  // namespace normbench
