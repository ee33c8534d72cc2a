#include "app/interrupt.h"

#include <csignal>

namespace normbench {
namespace {

std::atomic<bool> interrupted{false};  // a signal handler reaches nothing but globals

void on_signal(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& watch_for_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return interrupted;
}

}  // namespace normbench
