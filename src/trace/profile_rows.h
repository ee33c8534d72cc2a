/// The profiler table's rows from a model, as torch.profiler's key_averages() makes them.
#pragma once

#include <map>

#include "document/results.h"
#include "trace/call_tree.h"
#include "trace/model.h"

namespace normbench {

/// One row per (name, device, annotation), with `by_shape` per shapes too, in order of first
/// appearance. The model is finished, or was read from a file. Host rows are the calls of
/// call_tree(), those of the CUDA runtime among them. Where a device's times are from marks, these
/// have rows as work has. Workers, waits of streams and slices of unknown kinds have none.
std::vector<ProfileRow> profile_rows(const TraceModel& model, bool by_shape = false);
/// The same from its calls.
std::vector<ProfileRow> profile_rows(const TraceModel& model, const CallTree& tree,
                                     bool by_shape = false);

/// Adds page faults of stages by their labels (ProfileTrace::faults) to the rows of the host.
void add_faults(std::vector<ProfileRow>& rows,
                const std::map<std::string, std::int64_t, std::less<>>& faults);

/// Unions and gaps of the device work within the model's steps, without steps within all of it.
ProfileTimes profile_times(const TraceModel& model);

/// How many steps the model has.
std::int64_t profile_steps(const TraceModel& model);

ProfileLosses profile_losses(const TraceModel& model);

}  // namespace normbench
