/// The process `normbench part`. It measures a Part (some of the rounds of a group) for the process
/// that started it.
#pragma once

#include <functional>
#include <optional>

#include "app/job.h"
#include "measure/run_context.h"

namespace normbench {

/// Measures some rounds of a group of the job's plan in a fresh process; `part` says which. Returns
/// nothing when interrupted. If a contender, that is a case or a limit, hangs in that process,
/// calls `on_hung` with its name. Stages save files in a new folder in `scratch`. If `scratch` is
/// "", that folder is in the system's folder for temporary files. Throws std::runtime_error if the
/// process fails.
std::optional<GroupResult> measure_part(const Job& job, std::size_t group, const Part& part,
                                        const std::function<void(const std::string&)>& on_hung,
                                        const std::string& scratch = "");

}  // namespace normbench
