/// A contender of a running group with its place in the results: what can fail on its own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "document/results.h"
#include "measure/turn_taker.h"
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
  std::unique_ptr<TurnTaker> contender = nullptr;  // gone when the case takes no more turns
  TurnShape shape = {};

  bool is_case(const Group& group) const { return index < static_cast<int>(group.cases.size()); }
  bool live() const { return contender != nullptr; }
  /// End this contender alone. It keeps no rounds: only whole cases are compared.
  void fail(const std::string& reason) { end(Status::Failed, reason); }
  void skip(const std::string& reason) { end(Status::Skipped, reason); }
  /// Holds the output of its first or last call to the reference; a wrong one fails it.
  void check();

 private:
  void end(Status status, const std::string& reason);
};

}  // namespace normbench
