#include "app/interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "app/commands.h"

namespace normbench {
namespace {

constexpr std::int64_t kSameSignalNs = 200'000'000;

std::atomic<bool> interrupted{false};  // a signal handler reaches nothing but globals
std::atomic<std::int64_t> first_ns{0};

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void on_signal(int signal) {
  const int kept = errno;
  const std::int64_t now = now_ns();
  std::int64_t first = 0;
  if (first_ns.compare_exchange_strong(first, now))
    interrupted = true;
  else if (signal != SIGHUP && now - first > kSameSignalNs)
    _exit(static_cast<int>(Exit::Interrupted));
  errno = kept;
}

}  // namespace

const std::atomic<bool>& watch_for_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
  return interrupted;
}

}  // namespace normbench
