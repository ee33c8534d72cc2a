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

/// The bit of throttle_bits that NVML sets for an idle GPU. It does not stand for a limit.
inline constexpr std::int64_t throttle_idle = 1;

/// Returns a word, like "sw_power_cap", for each bit that is set in a mask of NVML's clock event
/// reasons, lowest bit first. An unknown bit gives a word like "unknown_0x800". Empty if the mask
/// is 0.
std::vector<std::string> throttle_words(std::uint64_t mask);

}  // namespace normbench
