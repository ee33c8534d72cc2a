/// Detects a turn (timed series of iterations of a case) that does not end. Code that hangs inside
/// a kernel cannot be stopped within its own process. So the app's handler (`on_hung`) notes the
/// case in the journal and restarts the process.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace normbench {

class Watchdog {
 public:
  using OnHung = std::function<void(std::size_t group, const std::string& contender)>;
  /// A turn that takes longer than `limit_seconds` counts as hung. The watchdog detects this before
  /// the turn has taken twice the limit. It then calls `on_hung` once, on its own thread, with the
  /// arguments of arm(). `on_hung` may write to the journal and to stdout, but must not call this
  /// watchdog. If the turn ends after all, its thread waits in disarm() until `on_hung` returns or
  /// replaces the process.
  Watchdog(double limit_seconds, OnHung on_hung);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Call arm() at the start of a turn and disarm() at its end. disarm() waits while `on_hung`
  /// runs. The two functions neither wake the watchdog's thread nor read a clock, so that turns are
  /// not disturbed.
  void arm(std::size_t group, const std::string& contender);
  void disarm();

 private:
  void watch();

  double limit_seconds_;
  OnHung on_hung_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  bool armed_ = false;
  std::uint64_t turn_ = 0;
  std::size_t group_ = 0;
  std::string contender_;
  std::thread thread_;
};

}  // namespace normbench
