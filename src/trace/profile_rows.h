/// The profiler table's rows from a model, as torch.profiler's key_averages() makes them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "document/results.h"
#include "trace/model.h"

namespace normbench {

/// One row per (name, device, annotation), with `by_shape` per shapes too, in order of first
/// appearance. The model is finished, or was read from a file. Per thread a slice's self time is
/// what none of its direct children covers; a slice that only partly overlaps another is no child
/// of it; an only child of its parent's name is merged into it. Calls of the CUDA runtime have rows
/// of the host. Device time of a host row is that of the work submitted in it: by runtime calls within
/// it, or with its external id where the call is not known. Where a device's times are from marks, these have rows as work has.
/// Workers, waits of streams and slices of unknown kinds have none.
std::vector<ProfileRow> profile_rows(const TraceModel& model, bool by_shape = false);

/// Adds page faults of stages by their labels (ProfileTrace::faults) to the rows of the host.
void add_faults(std::vector<ProfileRow>& rows,
                const std::map<std::string, std::int64_t, std::less<>>& faults);

/// Unions and gaps of the device work within the model's steps, without steps within all of it.
ProfileTimes profile_times(const TraceModel& model);

/// How many steps the model has.
std::int64_t profile_steps(const TraceModel& model);

ProfileLosses profile_losses(const TraceModel& model);

}  // namespace normbench
