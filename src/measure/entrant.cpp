#include "measure/entrant.h"

#include <algorithm>

namespace normbench {

void Entrant::end(Status status, const std::string& reason) {
  result->status = status;
  result->reason = reason;
  result->rounds.clear();
  for (StageResult& stage : result->stages) {
    stage.rounds_ns.clear();
    stage.calls_ns.clear();
  }
  contender.reset();
}

void Entrant::check() {
  const CheckOutcome outcome = contender->check();
  CheckResult& check = result->check;
  check = {.ok = outcome.result.ok,
           .max_abs_error = std::max(check.max_abs_error, outcome.result.max_abs_error),
           .bound = outcome.result.bound};
  auto& notes = result->notes;
  if (!outcome.note.empty() && std::ranges::find(notes, outcome.note) == notes.end())
    notes.push_back(outcome.note);
  if (!outcome.result.ok) fail(outcome.reason);
}

}  // namespace normbench
