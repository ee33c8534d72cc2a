/// What takes a case's turns, in this process or in a peer.
#pragma once

#include <memory>
#include <random>

#include "measure/group_memory.h"
#include "document/results.h"
#include "measure/runner.h"
#include "measure/turn_taker.h"
#include "plan/plan.h"

namespace normbench {

/// Ready for its first call. Throws std::runtime_error, or one of turn_errors.h; `result` knows the
/// peer's version by then, if it has told that.
std::unique_ptr<TurnTaker> make_contender(const Case& work, const Plan& plan, GroupMemory& memory,
                                          RunContext& context, std::mt19937_64& random,
                                          CaseResult& result);

}  // namespace normbench
