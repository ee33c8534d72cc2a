#include "machine/device_state.h"

#include <fmt/format.h>

#include <array>

namespace normbench {
namespace {

struct ReasonWord {
  std::uint64_t bit;
  const char* word;
};

constexpr auto kReasonWords = std::to_array<ReasonWord>({{0x001, "gpu_idle"},
                                                         {0x002, "applications_clocks_setting"},
                                                         {0x004, "sw_power_cap"},
                                                         {0x008, "hw_slowdown"},
                                                         {0x010, "sync_boost"},
                                                         {0x020, "sw_thermal_slowdown"},
                                                         {0x040, "hw_thermal_slowdown"},
                                                         {0x080, "hw_power_brake_slowdown"},
                                                         {0x100, "display_clock_setting"},
                                                         {0x200, "board_limit"},
                                                         {0x400, "reliability"}});

std::string word_of(std::uint64_t bit) {
  for (const ReasonWord& known : kReasonWords)
    if (known.bit == bit) return known.word;
  return fmt::format("unknown_{:#x}", bit);
}

}  // namespace

std::vector<std::string> throttle_words(std::uint64_t mask) {
  std::vector<std::string> words;
  for (; mask != 0; mask &= mask - 1) words.push_back(word_of(mask & -mask));
  return words;
}

}  // namespace normbench
