/// Whether what a journal kept belongs to the plan that is to be gone on with.
#pragma once

#include "document/journal.h"
#include "plan/plan.h"

namespace normbench {

/// Throws Invalid when the journal names a group that the plan has not, or keeps one of another
/// experiment, point, baseline or other variants than the plan's.
void require_fit(const JournalContent& content, const Plan& plan);

}  // namespace normbench
