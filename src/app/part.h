/// `normbench part`: the process that measures one part of a group for another `normbench run`.
#pragma once

#include <functional>
#include <optional>

#include "app/job.h"
#include "measure/runner.h"

namespace normbench {

/// Called with the contender that hung in the other process.
using OnHungPart = std::function<void(const std::string& contender)>;

/// Measures a part of a group of the job's plan in a fresh process; nothing when interrupted.
std::optional<GroupResult> measure_part(const Job& job, std::size_t group, const Part& part,
                                        const OnHungPart& on_hung);

}  // namespace normbench
