/// Reads the state of a device, such as its clock and its temperature, after turns.
#pragma once

#include "backend/backend.h"
#include "record/clock.h"

namespace normbench {

/// A reading that takes at most this time, in ns, is quick. Quick readings are made after every
/// turn, because they are too short to make the device idle.
inline constexpr std::int64_t quick_reading_ns = 500'000;

/// Reads the state after every turn, as long as readings are quick. After a slow reading, pauses
/// for a hundred times the time of that reading. So slow readings take at most a hundredth of the
/// time.
class StateReader {
 public:
  /// `device` is null if there is none.
  StateReader(Backend* device, Clock& clock) : device_(device), clock_(clock) {}

  /// Returns the state, or zeros during a pause and if the state cannot be read. Call it outside of
  /// timed code.
  DeviceState read();
  /// Returns the time of the slowest reading in ns; 0 before the first reading.
  std::int64_t slowest_ns() const { return slowest_ns_; }

 private:
  Backend* device_;
  Clock& clock_;
  std::int64_t next_ns_ = 0, slowest_ns_ = 0;
};

}  // namespace normbench
