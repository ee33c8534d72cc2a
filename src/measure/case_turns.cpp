#include "measure/case_turns.h"

namespace normbench {

std::int64_t poisoned_iteration(Contender& contender, std::byte poison, bool poison_fresh,
                                Clock& clock) {
  contender.advance();
  contender.poison(poison);
  IterationOptions options{.keep_result = true};
  if (poison_fresh) options.poison = poison;
  const std::int64_t start_ns = clock.now_ns();
  contender.run(options);
  contender.drain();
  return clock.now_ns() - start_ns;
}

CaseTurns::CaseTurns(const Case& work, GroupMemory& memory, const Backends& backends,
                     Recorder& recorder, Clock& clock, std::mt19937_64& random)
    : backends_(backends), clock_(clock), contender_(work, memory, backends, recorder) {
  contender_.place(random);
}

std::int64_t CaseTurns::first_call() {
  return poisoned_iteration(contender_, std::byte{0xFF}, false, clock_);
}

void CaseTurns::last_call() { poisoned_iteration(contender_, std::byte{0x55}, true, clock_); }

CheckOutcome CaseTurns::check() {
  return check_output(contender_.work(), contender_.source(), contender_.result(), backends_);
}

TurnShape CaseTurns::shape_of_turns(double clock_cost_ns) {
  return normbench::shape_of_turns(contender_, clock_, clock_cost_ns);
}

Turn CaseTurns::take_turn(const TurnShape& shape, std::mt19937_64& random) {
  return normbench::take_turn(contender_, shape, clock_, random);
}

}  // namespace normbench
