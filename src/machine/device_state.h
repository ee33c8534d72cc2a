/// The state of a GPU at one moment: its clock, its temperature, and what limits the clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace normbench {

struct DeviceState {
  std::int64_t sm_clock_mhz = 0;   // 0: nothing was read
  std::int64_t throttle_bits = 0;  // mask of reasons that hold the clocks back, as in NVML
  std::int64_t temperature_c = 0;
  bool operator==(const DeviceState&) const = default;
};

/// The bit of throttle_bits for an idle GPU. It is no limit.
inline constexpr std::int64_t throttle_idle = 1;

/// Returns the words for a mask of clock event reasons ("sw_power_cap"), lowest bit first. A bit
/// without a word gives "unknown_0x800". Empty if nothing holds the clocks back.
std::vector<std::string> throttle_words(std::uint64_t mask);

}  // namespace normbench
