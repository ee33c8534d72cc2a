/// Rows of the profiler table from a trace, made as torch.profiler's key_averages() makes them.
#pragma once

#include <functional>
#include <map>

#include "document/results.h"
#include "trace/model.h"
#include "trace/read/read_trace.h"

namespace normbench {

/// Returns the rows in order of first appearance. Calls share a row if they have the same name, run
/// in the same place (host or device), and are all annotations or all not. With `by_shape`, they
/// must also have the same input shapes. finish_model() must have been called.
/// - Rows of the host are those of the calls in CallTree, including CUDA calls.
/// - Memory allocated outside of calls is in a row "[memory]".
/// - An annotation with `from_marks` counts as device work.
/// - Workers, waits for streams, Python frames and slices of kind Other have no row.
std::vector<ProfileRow> profile_rows(const TraceModel& model, bool by_shape = false);

/// Both functions give the rows to `take`, one by one. They return how many pieces of device work
/// count for no op because several processes may have submitted them. The second function empties
/// `trace` of its slices.
using TakeRow = std::function<void(ProfileRow&&)>;
std::int64_t profile_rows(const TraceModel& model, bool by_shape, const TakeRow& take);
std::int64_t profile_rows(ReadTrace& trace, bool by_shape, const TakeRow& take);

/// Adds page faults to the host rows of stages. `faults` maps the label of a stage to its number of
/// faults (see ProfileTrace::faults).
void add_faults(std::vector<ProfileRow>& rows,
                const std::map<std::string, std::int64_t, std::less<>>& faults);

/// Both return how long device work ran and paused during the steps of the trace, or during the
/// whole trace if it has no steps.
ProfileTimes profile_times(const TraceModel& model);
ProfileTimes profile_times(const ReadTrace& trace);

/// Both return the number of steps in the trace.
std::int64_t profile_steps(const TraceModel& model);
std::int64_t profile_steps(const ReadTrace& trace);

ProfileLosses profile_losses(const TraceLosses& losses);

}  // namespace normbench
