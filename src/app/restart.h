/// What becomes of a run whose case hangs.
#pragma once

#include <string>
#include <vector>

#include "document/journal.h"

namespace normbench {

/// A kernel that hangs cannot be stopped inside its process: it is noted, and this program starts
/// anew from the journal, where the case counts as failed.
class Restart {
 public:
  /// `command` are the arguments that go on with the run of `journal`.
  Restart(Journal& journal, double limit_seconds, std::vector<std::string> command);

  /// Ends the process; with NotWritten when the journal cannot be written, as it would hang again.
  [[noreturn]] void without(std::size_t group, const std::string& contender);

 private:
  Journal& journal_;
  double limit_seconds_;
  std::vector<std::string> command_;
};

}  // namespace normbench
