/// Runs a plan. Groups run one after another. In each round of a group, each of its contenders
/// (cases and limits of the machine) takes a turn.
#pragma once

#include "measure/run_context.h"

namespace normbench {

/// What run() returns.
struct RunOutcome {
  Results results;
  std::string unkept = {};    // why the journal could not be written; "" otherwise
  std::string untraced = {};  // why the device tracer could not be attached or failed; else ""
};

/// Measures each group of the plan that is not complete in the journal, and then profiles the
/// groups without a profile.
/// - Each group is added to the journal when it is complete. If several processes measure it, the
///   part of each process is also added. If one process measures it, its rounds so far are added
///   meanwhile.
/// - Without `context.rounds`, each case is run once, checked and profiled, but not timed.
/// - If one process measures a group and is interrupted, the results include the complete rounds of
///   the group. If several processes measure it, the results do not include the part that was being
///   measured.
/// - If the journal cannot be written, the run ends after the present group, and `unkept` and
///   `interrupted` are set.
/// The results have `groups`, `missing`, `interrupted`, `unkept` and the data of the plan. The
/// caller adds the other members, such as tool and environment.
RunOutcome run(const Plan& plan, RunContext& context);

/// Appends the rounds of a later part to a group. The start times of these rounds follow those of
/// the group without a gap. A case that failed in one of the parts has failed. In the check result
/// of a case, the larger of the two largest errors is kept, with its bound.
void append_part(GroupResult& group, GroupResult part);

/// Throws Invalid if the journal does not belong to the plan. Each group of the journal must be in
/// the plan with the same experiment, point, baseline and variants.
void require_fit(const JournalContent& content, const Plan& plan);

}  // namespace normbench
