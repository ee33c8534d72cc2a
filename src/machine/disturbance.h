/// What the machine did to this process besides letting it work, read around every turn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace normbench {

/// What happened in a stretch of time. Zero where the machine says nothing.
struct Disturbance {
  std::int64_t steal_ns = 0;       // the hypervisor gave a processor of ours to others
  std::int64_t throttled_ns = 0;   // the container's CPU quota held its processes back
  std::int64_t frequency_khz = 0;  // the mean over the processors, at the end
  bool operator==(const Disturbance&) const = default;
};

/// Reads the totals since the machine or the container started, and the frequency now: steal time
/// of all processors (proc/stat), throttled time of this process's control groups and all above
/// (cpu.stat), and the mean scaling_cur_freq of the first 64 processors, else their mean "cpu MHz"
/// (proc/cpuinfo). Files lie below `root` ("/" but in tests) and stay open.
std::function<Disturbance()> disturbance_reader(const std::filesystem::path& root);

/// What happened between two readings, with the later one's frequency.
Disturbance disturbance_between(const Disturbance& before, const Disturbance& after);

}  // namespace normbench
