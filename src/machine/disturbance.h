/// Readings of what slows this process down from outside, taken before and after every turn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace normbench {

/// Disturbances during a period; 0 where the machine does not report them.
struct Disturbance {
  std::int64_t steal_ns = 0;  // time that a hypervisor took from the processors, summed over them
  std::int64_t throttled_ns = 0;   // time in which the container's CPU quota stopped processes
  std::int64_t frequency_khz = 0;  // mean clock of the processors, at the end of the period
  bool operator==(const Disturbance&) const = default;
};

/// Returns a function that reads the present totals and frequency from files below `root` ("/"
/// except in tests), which stay open:
/// - the steal time of all processors since boot, from proc/stat;
/// - the throttled time of the control groups of this process and of all groups above them, from
///   cpu.stat;
/// - the mean scaling_cur_freq of the first 64 processors. If these files do not exist, the mean
///   "cpu MHz" in proc/cpuinfo.
std::function<Disturbance()> disturbance_reader(const std::filesystem::path& root);

/// Returns `after` minus `before` for the totals, and the frequency of `after`.
Disturbance disturbance_between(const Disturbance& before, const Disturbance& after);

}  // namespace normbench
