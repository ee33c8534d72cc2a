#include "measure/make_contender.h"

#include "measure/case_turns.h"
#include "measure/peer/contender.h"

namespace normbench {

std::unique_ptr<TurnTaker> make_contender(const Case& work, const Plan& plan, GroupMemory& memory,
                                          RunContext& context, std::mt19937_64& random,
                                          CaseResult& result) {
  const Range range(&context.recorder, RangeKind::Init, "init");
  if (work.peer.empty())
    return std::make_unique<CaseTurns>(work, memory, context.backends, context.recorder,
                                       context.clock, random);
  const PeerLimits limits{.turn_seconds = plan.measure.turn_timeout_seconds};
  auto peer =
      std::make_unique<PeerContender>(work, plan.peers.at(work.peer), limits, memory, context);
  result.peer_version = peer->version();
  peer->prepare();
  return peer;
}

}  // namespace normbench
