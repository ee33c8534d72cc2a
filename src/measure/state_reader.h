/// Reads the state of a device at the ends of turns.
#pragma once

#include "backend/backend.h"
#include "record/clock.h"

namespace normbench {

/// Readings that take up to this long, in ns, are made after every turn, because they are too short
/// to make the device idle.
inline constexpr std::int64_t quick_reading_ns = 500'000;

/// Reads after every turn while readings are quick. After a slow reading it pauses for a hundred
/// times the reading's time, so that slow readings take at most a hundredth of the time.
class StateReader {
 public:
  /// `device` is null if there is none.
  StateReader(Backend* device, Clock& clock) : device_(device), clock_(clock) {}

  /// Returns the state, or all zeros if nothing is read now. Call outside of timed code.
  DeviceState read();
  /// The time of the slowest reading; 0 before the first.
  std::int64_t slowest_ns() const { return slowest_ns_; }

 private:
  Backend* device_;
  Clock& clock_;
  std::int64_t next_ns_ = 0, slowest_ns_ = 0;
};

}  // namespace normbench
