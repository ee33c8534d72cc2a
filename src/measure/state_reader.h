/// The state of a device at the ends of turns.
#pragma once

#include "backend/backend.h"
#include "record/clock.h"

namespace normbench {

/// A reading up to this long is made after every turn: the device does not count as idle for it.
inline constexpr std::int64_t quick_reading_ns = 500'000;

/// Reads after every turn while that is quick; after a slow reading not until a hundred times its
/// time has gone by, so that readings take a hundredth of the time.
class StateReader {
 public:
  /// `device` may be null: there is none.
  StateReader(Backend* device, Clock& clock) : device_(device), clock_(clock) {}

  /// Call outside of what is timed. All zeros where nothing is read.
  DeviceState read();
  /// How long the slowest reading took; 0 before the first.
  std::int64_t slowest_ns() const { return slowest_ns_; }

 private:
  Backend* device_;
  Clock& clock_;
  std::int64_t next_ns_ = 0, slowest_ns_ = 0;
};

}  // namespace normbench
