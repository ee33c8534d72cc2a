/// What state a GPU is in: what its driver lets it do right now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace normbench {

struct DeviceState {
  std::int64_t sm_clock_mhz = 0;   // 0: nothing was read
  std::int64_t throttle_bits = 0;  // reasons that hold the clocks back, as NVML numbers them
  std::int64_t temperature_c = 0;
  bool operator==(const DeviceState&) const = default;
};

/// The bit of throttle_bits that says only that nothing runs.
inline constexpr std::int64_t throttle_idle = 1;

/// The words of a mask of clock event reasons ("sw_power_cap"), lowest bit first; a bit without a
/// word is "unknown_0x800". Empty when nothing holds the clocks back.
std::vector<std::string> throttle_words(std::uint64_t mask);

}  // namespace normbench
