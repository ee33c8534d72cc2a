/// A signal that the calling thread does not see for a while.
#pragma once

#include <csignal>

namespace normbench {

/// While it lives, the signal does nothing; what this thread raised of it meanwhile is dropped.
class IgnoredSignal {
 public:
  explicit IgnoredSignal(int signal);
  ~IgnoredSignal();
  IgnoredSignal(const IgnoredSignal&) = delete;
  IgnoredSignal& operator=(const IgnoredSignal&) = delete;

 private:
  sigset_t signal_{}, before_{};
  bool pending_;  // it was raised before, for someone else
};

}  // namespace normbench
