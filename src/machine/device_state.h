/// The state of a GPU at one moment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace normbench {

struct DeviceState {
  std::int64_t sm_clock_mhz = 0;   // clock of the multiprocessors; 0: nothing was read
  std::int64_t throttle_bits = 0;  // NVML's clock event reasons
  std::int64_t temperature_c = 0;
  bool operator==(const DeviceState&) const = default;
};

/// The bit in `throttle_bits` that says that the GPU is idle. It does not mean throttling.
inline constexpr std::int64_t throttle_idle = 1;

/// Returns a word like "sw_power_cap" for each bit of an NVML mask of clock event reasons, lowest
/// bit first. An unknown bit gives a word like "unknown_0x800".
std::vector<std::string> throttle_words(std::uint64_t mask);

}  // namespace normbench
