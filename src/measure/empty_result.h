/// A group's result before anything ran: what comes from the plan.
#pragma once

#include "document/results.h"
#include "plan/plan.h"

namespace normbench {

GroupResult empty_result(const Group& group);

}  // namespace normbench
