#include "measure/watchdog.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "machine/start_thread.h"

namespace normbench {

Watchdog::Watchdog(double limit_seconds, OnHung on_hung)
    : limit_seconds_(limit_seconds),
      on_hung_(std::move(on_hung)),
      thread_(start_thread([this] { watch(); }, "the watchdog of hung calls")) {}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::arm(std::size_t group, const std::string& contender) {
  const std::scoped_lock lock(mutex_);
  armed_ = true;
  ++turn_;
  group_ = group;
  contender_ = contender;
}

void Watchdog::disarm() {
  const std::scoped_lock lock(mutex_);
  armed_ = false;
}

void Watchdog::watch() {
  // The thread polls once per limit. So if two successive polls see the same turn, the turn has
  // exceeded the limit. The clamp prevents a busy loop if the limit is 0, and an overflow if it is
  // huge.
  const std::chrono::duration<double> period(std::clamp(limit_seconds_, 0.001, 1e6));
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, period, [this] { return stop_; })) {
    // The lock is held. So if the turn ends now, its thread waits in disarm().
    if (armed_ && turn_ == seen) return on_hung_(group_, contender_);
    seen = armed_ ? turn_ : 0;
  }
}

}  // namespace normbench
