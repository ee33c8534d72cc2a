/// `normbench part`: the process that measures one part of a group for a `normbench run`.
#pragma once

#include <functional>
#include <optional>

#include "app/job.h"
#include "measure/run_context.h"

namespace normbench {

/// Measures a part of a group of the job's plan in a fresh process. Returns nothing when
/// interrupted. Calls `on_hung` with the name of a contender that hangs there. Stages save files in
/// a new folder in `scratch`, or in the system's folder for temporary files if that is "". Throws
/// std::runtime_error if the process fails.
std::optional<GroupResult> measure_part(const Job& job, std::size_t group, const Part& part,
                                        const std::function<void(const std::string&)>& on_hung,
                                        const std::string& scratch = "");

}  // namespace normbench
