#include "measure/entrant.h"

#include <algorithm>

#include "measure/check.h"

namespace normbench {

void Entrant::fail(const std::string& reason) {
  result->status = Status::Failed;
  result->reason = reason;
  result->rounds.clear();
  for (StageResult& stage : result->stages) {
    stage.rounds_ns.clear();
    stage.calls_ns.clear();
  }
  contender.reset();
}

std::int64_t poisoned_iteration(Entrant& entrant, std::byte poison, bool poison_fresh,
                                Clock& clock) {
  Contender& contender = *entrant.contender;
  contender.advance();
  contender.poison(poison);
  IterationOptions options{.keep_result = true};
  if (poison_fresh) options.poison = poison;
  const std::int64_t start_ns = clock.now_ns();
  contender.run(options);
  contender.drain();
  return clock.now_ns() - start_ns;
}

void check_iteration(Entrant& entrant, const Backends& backends) {
  Contender& contender = *entrant.contender;
  const CheckOutcome outcome =
      check_output(*entrant.work, contender.source(), contender.result(), backends);
  CheckResult& check = entrant.result->check;
  check = {.ok = outcome.result.ok,
           .max_abs_error = std::max(check.max_abs_error, outcome.result.max_abs_error),
           .bound = outcome.result.bound};
  auto& notes = entrant.result->notes;
  if (!outcome.note.empty() && std::ranges::find(notes, outcome.note) == notes.end())
    notes.push_back(outcome.note);
  if (!outcome.result.ok) entrant.fail(outcome.reason);
}

}  // namespace normbench
