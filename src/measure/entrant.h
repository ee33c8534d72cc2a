/// A contender of a running group with its place in the results: what can fail on its own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "measure/contender.h"
#include "measure/results.h"
#include "measure/turn.h"
#include "measure/watchdog.h"

namespace normbench {

/// Guards one piece of work that must end.
class Watched {
 public:
  Watched(Watchdog& watchdog, std::size_t group, const std::string& contender)
      : watchdog_(watchdog) {
    watchdog_.arm(group, contender);
  }
  ~Watched() { watchdog_.disarm(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  Watchdog& watchdog_;
};

struct Entrant {
  int index;  // among the group's cases, then its limits
  const Case* work;
  CaseResult* result;
  std::unique_ptr<Contender> contender = nullptr;  // gone when the case has failed
  TurnShape shape = {};

  bool is_case(const Group& group) const { return index < static_cast<int>(group.cases.size()); }
  bool live() const { return contender != nullptr; }
  /// Ends this contender alone. It keeps no rounds: a failed case is never compared.
  void fail(const std::string& reason);
};

/// Runs one iteration on poisoned buffers and returns its time; fresh buffers are poisoned only
/// where that is no part of what is timed.
std::int64_t poisoned_iteration(Entrant& entrant, std::byte poison, bool poison_fresh,
                                Clock& clock);

/// Holds the output of a poisoned iteration to the reference; a wrong one fails the entrant.
void check_iteration(Entrant& entrant, const Backends& backends);

}  // namespace normbench
