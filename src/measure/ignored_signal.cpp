#include "measure/ignored_signal.h"

#include <ctime>

namespace normbench {
namespace {

bool is_pending(int signal) {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

}  // namespace

IgnoredSignal::IgnoredSignal(int signal) : pending_(is_pending(signal)) {
  sigemptyset(&signal_);
  sigaddset(&signal_, signal);
  pthread_sigmask(SIG_BLOCK, &signal_, &before_);
}

IgnoredSignal::~IgnoredSignal() {
  const timespec at_once{};
  if (!pending_) sigtimedwait(&signal_, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace normbench
