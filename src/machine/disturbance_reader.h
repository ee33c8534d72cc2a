/// Reads what the machine does to this process, before and after every turn.
#pragma once

#include <filesystem>
#include <functional>

#include "machine/disturbance.h"

namespace normbench {

/// A reader of the totals since the machine or the container started, and of the frequency now:
/// steal of all processors (proc/stat), throttled time of this process's control groups and of all
/// above them (cpu.stat), and the mean scaling_cur_freq, else the mean "cpu MHz" of proc/cpuinfo,
/// of the first 64 processors. Its files lie below `root`, "/" but in tests, and stay open.
std::function<Disturbance()> disturbance_reader(const std::filesystem::path& root);

/// What happened between two readings, with the later one's frequency.
Disturbance disturbance_between(const Disturbance& before, const Disturbance& after);

}  // namespace normbench
