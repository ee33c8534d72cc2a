/// CUPTI's clock and the host's.
#pragma once

#include <cstdint>

#include "backend/cuda/cupti/cupti_library.h"

namespace normbench::cupti {

/// CLOCK_MONOTONIC in nanoseconds, which is the recorder's clock: what CUPTI asks for the time.
std::uint64_t monotonic_ns() noexcept;

/// One moment on both clocks.
struct Anchor {
  std::int64_t host_ns = 0;
  std::int64_t cupti_ns = 0;
  std::int64_t error_ns = 0;  // the two were read within this
};

/// The anchor, of many, whose two clocks were read most closely together.
Anchor take_anchor(const Functions& cupti);

/// Maps CUPTI's times to the host's, on the line through two moments.
class ClockMap {
 public:
  /// Both clocks are one.
  ClockMap() = default;
  ClockMap(const Anchor& from, const Anchor& to);

  std::int64_t host_ns(std::uint64_t cupti_ns) const;
  /// How far mapped times may be off. Large when CUPTI's clock was set in between.
  std::int64_t error_ns() const { return error_ns_; }

 private:
  Anchor from_;
  double drift_ = 0;  // host nanoseconds more, per nanosecond of CUPTI's
  std::int64_t error_ns_ = 0;
};

}  // namespace normbench::cupti
