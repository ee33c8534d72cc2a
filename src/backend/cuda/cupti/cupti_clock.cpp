#include "backend/cuda/cupti/cupti_clock.h"

#include <cmath>
#include <cstdlib>
#include <ctime>

namespace normbench::cupti {
namespace {

constexpr int kReadings = 101;
/// Twice the rate (500 ppm) at which NTP may slew a clock. A larger drift means that the clock was
/// set.
constexpr double kMostDrift = 1e-3;

std::int64_t host_now() { return static_cast<std::int64_t>(monotonic_ns()); }

Anchor read_both(const Functions& cupti) {
  std::uint64_t cupti_ns = 0;
  const std::int64_t before = host_now();
  cupti.get_timestamp(&cupti_ns);
  const std::int64_t after = host_now();
  return {.host_ns = before + (after - before) / 2,
          .cupti_ns = static_cast<std::int64_t>(cupti_ns),
          .error_ns = (after - before + 1) / 2};
}

}  // namespace

std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

Anchor take_anchor(const Functions& cupti) {
  Anchor best = read_both(cupti);
  for (int i = 1; i < kReadings; ++i) {
    const Anchor anchor = read_both(cupti);
    if (anchor.error_ns < best.error_ns) best = anchor;
  }
  return best;
}

ClockMap::ClockMap(const Anchor& from, const Anchor& to)
    : from_(from), error_ns_(from.error_ns + to.error_ns) {
  const std::int64_t cupti_ns = to.cupti_ns - from.cupti_ns;
  const std::int64_t ahead_ns = to.host_ns - from.host_ns - cupti_ns;
  if (cupti_ns > 0 && std::abs(ahead_ns) > error_ns_)
    drift_ = static_cast<double>(ahead_ns) / static_cast<double>(cupti_ns);
  const double slewed =
      kMostDrift * static_cast<double>(std::abs(cupti_ns)) + static_cast<double>(error_ns_);
  if (static_cast<double>(std::abs(ahead_ns)) > slewed) error_ns_ += std::abs(ahead_ns);
}

std::int64_t ClockMap::host_ns(std::uint64_t cupti_ns) const {
  const std::int64_t since = static_cast<std::int64_t>(cupti_ns) - from_.cupti_ns;
  return from_.host_ns + since + std::llround(drift_ * static_cast<double>(since));
}

}  // namespace normbench::cupti
