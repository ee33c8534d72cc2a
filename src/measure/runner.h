/// Runs a plan. Groups run one after another; in each round, all contenders of the group take a
/// turn.
#pragma once

#include "measure/run_context.h"

namespace normbench {

/// What run() returns.
struct RunOutcome {
  Results results;
  std::string unkept = {};    // why the journal could not be written, if that ended the run
  std::string untraced = {};  // why the tracer was not used, or gave up
};

/// Measures every group of the plan that is not in the journal yet, then profiles the groups
/// without a profile. The journal keeps each group, and each part of a group that several processes
/// measure, and meanwhile the rounds so far of a group that one process measures. Without
/// `context.rounds` each case is run once, checked and profiled, but not timed. After an interrupt,
/// the results have the whole rounds of the group that was being measured; if several
/// processes measure it, they lack the part that was being measured. If the journal cannot be
/// written, the run ends with the present group; `unkept` and `interrupted` are then set. The
/// results get `groups`, `interrupted`, `unkept` and the facts of the plan; the app adds tool and
/// environment.
RunOutcome run(const Plan& plan, RunContext& context);

/// Appends the rounds of a later part. Their start times continue those of the earlier part without
/// a gap. A case that failed in either part has failed. The result keeps the larger of the two
/// parts' largest errors, with its bound.
void append_part(GroupResult& group, GroupResult part);

/// Throws Invalid if the journal does not belong to the plan. A group of the journal must be in the
/// plan, with the same experiment, point, baseline and variants.
void require_fit(const JournalContent& content, const Plan& plan);

}  // namespace normbench
