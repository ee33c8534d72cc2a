#pragma once

#include <atomic>

#include "record/clock.h"

namespace normbench {

/// A clock that advances by one nanosecond at each reading.
class FakeClock final : public Clock {
 public:
  std::int64_t now_ns() override { return ++now_ns_; }
  std::int64_t cpu_ns() override { return now_ns_; }
  Counters counters() override { return {}; }

 private:
  std::atomic<std::int64_t> now_ns_{0};
};

}  // namespace normbench
