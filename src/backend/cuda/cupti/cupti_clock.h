/// CUPTI's clock and its relation to the host's clock.
#pragma once

#include <cstdint>

#include "backend/cuda/cupti/cupti_library.h"

namespace normbench::cupti {

/// Returns CLOCK_MONOTONIC in ns, which is the recorder's clock. If this version of CUPTI lets
/// callers choose the clock, it calls this function for its timestamps.
std::uint64_t monotonic_ns() noexcept;

/// One moment on both clocks.
struct Anchor {
  std::int64_t host_ns = 0;
  std::int64_t cupti_ns = 0;
  std::int64_t error_ns = 0;  // the clocks were read at most this far apart
};

/// Reads both clocks many times. Returns the pair of readings with the smallest error.
Anchor take_anchor(const Functions& cupti);

/// Maps CUPTI's times to the host's times, on the line through two anchors.
class ClockMap {
 public:
  /// Makes a map that changes no times, for a CUPTI that uses the host's clock.
  ClockMap() = default;
  ClockMap(const Anchor& from, const Anchor& to);

  std::int64_t host_ns(std::uint64_t cupti_ns) const;
  /// Returns how far results of host_ns() may be off, in ns. The value is large if CUPTI's clock
  /// was set between the anchors.
  std::int64_t error_ns() const { return error_ns_; }

 private:
  Anchor from_;
  double drift_ = 0;  // ns by which the host's clock gains per ns of CUPTI's clock
  std::int64_t error_ns_ = 0;
};

}  // namespace normbench::cupti
