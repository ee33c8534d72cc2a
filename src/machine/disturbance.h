/// What kept this process from working at full speed. It is read before and after every turn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace normbench {

/// Disturbances in a stretch of time; 0 for what the machine does not report.
struct Disturbance {
  std::int64_t steal_ns = 0;       // how long a hypervisor gave processors to other machines
  std::int64_t throttled_ns = 0;   // how long the container's CPU quota held processes back
  std::int64_t frequency_khz = 0;  // mean over the processors, at the end of the stretch
  bool operator==(const Disturbance&) const = default;
};

/// Returns a function that reads totals since the machine or the container started, and the present
/// frequency. The totals are the steal time of all processors (proc/stat), and the throttled time
/// of this process's control groups and of all groups above (cpu.stat). The frequency is the mean
/// scaling_cur_freq of the first 64 processors. If none of them has this file, the frequency is the
/// mean "cpu MHz" in proc/cpuinfo. The files are those below `root` ("/" except in tests), and stay
/// open.
std::function<Disturbance()> disturbance_reader(const std::filesystem::path& root);

/// Returns what happened between two readings, with the frequency of the later one.
Disturbance disturbance_between(const Disturbance& before, const Disturbance& after);

}  // namespace normbench
